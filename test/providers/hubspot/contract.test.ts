import { testAdapter } from '../../provider-kit/adapter.ts';
import { useHubSpot } from './use-sandbox.ts';

testAdapter('HubSpot', useHubSpot());
