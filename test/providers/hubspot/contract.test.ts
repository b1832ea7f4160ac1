import { testContactPort } from '../../contract/contact-port.ts';
import { useHubSpot } from './use-sandbox.ts';

testContactPort('HubSpot', useHubSpot());
