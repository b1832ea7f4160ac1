import { testAdapter } from '../../provider-kit/adapter.ts';
import { usePipedrive } from './subject.ts';

testAdapter('Pipedrive', usePipedrive());
