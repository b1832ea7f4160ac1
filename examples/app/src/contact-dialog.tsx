import { type ReactNode, useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import { toName, toStage, toWords } from './contact-words.ts';
import { CRMS } from './crms.ts';
import { FailureNote } from './failure-note.tsx';
import { ContactDetailsDocument, type ContactDetailsQuery } from './operations.generated.ts';
import { readFailure } from './read-failure.ts';

/** One contact with its associations, and the CRM's own record: both are fetched only here. */
export function ContactDialog({ id, onClose }: ContactDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [{ data, error, fetching }, again] = useQuery({
    query: ContactDetailsDocument,
    variables: { id },
  });
  useEffect(() => dialog.current?.showModal(), []);
  const contact = data?.node?.__typename === 'Contact' ? data.node : undefined;
  const failure = contact ? undefined : readFailure(error, 'node');
  return (
    <dialog ref={dialog} onClose={onClose} closedby="any" aria-labelledby="contact">
      <header>
        <h2 id="contact">{contact ? toName(contact) : 'Contact'}</h2>
        <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {failure && <FailureNote failure={failure} isBusy={fetching} onRetry={again} />}
      {fetching && !contact && <p className="empty">Reading…</p>}
      {contact && <Details contact={contact} />}
    </dialog>
  );
}

function Details({ contact }: { readonly contact: Contact }) {
  const { emailAddresses, phoneNumbers, addresses, associations, lifecycleStage, lastModifiedAt } =
    contact;
  const { favoriteColor, jobTitle } = contact.custom;
  const title = CRMS.find(({ provider }) => provider === contact.provider)?.title;
  return (
    <>
      <dl>
        <Entry name="Stage">{lifecycleStage && toStage(lifecycleStage)}</Entry>
        <Entry name="Job title">{jobTitle}</Entry>
        <Entry name="Favorite color">{favoriteColor}</Entry>
        {emailAddresses.map(({ emailAddress, emailAddressType }) => (
          <Entry
            key={`${emailAddress} ${emailAddressType}`}
            name={`Email, ${toWords(emailAddressType)}`}
          >
            {emailAddress}
          </Entry>
        ))}
        {phoneNumbers.map(({ phoneNumber, phoneNumberType }) => (
          <Entry
            key={`${phoneNumber} ${phoneNumberType}`}
            name={`Phone, ${toWords(phoneNumberType)}`}
          >
            {phoneNumber}
          </Entry>
        ))}
        {addresses.map(({ addressType, street1, street2, city, state, postalCode, country }) => (
          <Entry key={addressType} name={`Address, ${toWords(addressType)}`}>
            {[street1, street2, city, state, postalCode, country].filter(Boolean).join(', ')}
          </Entry>
        ))}
        <Entry name="Changed">
          {lastModifiedAt && new Date(lastModifiedAt).toLocaleString('en')}
        </Entry>
      </dl>
      <h3>Linked to</h3>
      <ul className="links">
        {associations?.map(({ object, remoteId }) => (
          <li key={`${object} ${remoteId}`}>
            <strong>{toWords(object)}</strong> {remoteId}
          </li>
        ))}
        {associations?.length === 0 && <li>Nothing</li>}
      </ul>
      <details open>
        <summary>As {title} sent it</summary>
        <pre>{JSON.stringify(contact.rawData, null, 2)}</pre>
      </details>
    </>
  );
}

function Entry({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  if (!children) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type Contact = Extract<
  NonNullable<ContactDetailsQuery['node']>,
  { readonly __typename: 'Contact' }
>;

interface ContactDialogProps {
  readonly id: string;
  onClose(): void;
}
