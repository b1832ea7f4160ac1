import { testQuirks } from '../../provider-kit/quirks.ts';
import { tidepool } from './adapter.ts';
import { useTidepool } from './open-simulation.ts';

const crm = useTidepool();

/** Its simulation has no quirks: what is tested is that the kit finds the contacts of an account without any. */
testQuirks(
  tidepool,
  {
    members: [2, 3, 4, 5, 6],
    createAccount: (_sandbox, people) => crm().createAccount({ people, limits: null }),
    names: () => [],
  },
  {},
);
