import { Empty, isKept, Link, Tabs } from '../parts/basics.tsx';
import { toHref } from '../router.ts';
import { useConsole } from '../state.tsx';
import { CustomFields } from './application/custom-fields.tsx';
import { Destination } from './application/destination.tsx';
import { Keys } from './application/keys.tsx';
import { OAuthClients } from './application/oauth-clients.tsx';
import { Settings } from './application/settings.tsx';
import { Webhooks } from './webhooks.tsx';

/** One application: what its developers have set up. */
export function ApplicationView({ id }: { readonly id: string }) {
  const { applications } = useConsole();
  const application = applications.find((one) => one.id === id);
  if (!application)
    return (
      <>
        <h1>This application does not exist</h1>
        <p>
          <Link href={toHref(['applications'])}>All applications</Link>
        </p>
      </>
    );
  const isDeleting = !isKept(application);
  return (
    <>
      <p class="crumbs">
        <Link href={toHref(['applications'])}>Applications</Link>
      </p>
      <div class="title">
        <div>
          <h1>{application.name}</h1>
          <p class="soft">
            <code>{id}</code>
          </p>
        </div>
        {isDeleting ? null : (
          <Link class="button plain" href={toHref(['customers'], { application: id })}>
            Customers
          </Link>
        )}
      </div>
      {isDeleting ? (
        <Empty title="This application is being deleted">
          Its keys are refused, and a server deletes its data in the background.
        </Empty>
      ) : (
        <Tabs
          label="Application"
          tabs={[
            { value: 'keys', text: 'Keys', show: () => <Keys id={id} /> },
            { value: 'webhooks', text: 'Webhooks', show: () => <Webhooks applicationId={id} /> },
            { value: 'syncs', text: 'Sync destination', show: () => <Destination id={id} /> },
            { value: 'oauth', text: 'OAuth clients', show: () => <OAuthClients id={id} /> },
            { value: 'fields', text: 'Custom fields', show: () => <CustomFields id={id} /> },
            {
              value: 'settings',
              text: 'Settings',
              show: () => <Settings application={application} />,
            },
          ]}
        />
      )}
    </>
  );
}
