import { type ReactNode, useState } from 'react';
import { type CombinedError, useQuery } from 'urql';
import { ContactForm } from './contact-form.tsx';
import { toMoney, toName, toStage, toWords } from './contact-words.ts';
import { CRMS } from './crms.ts';
import { Drawer } from './drawer.tsx';
import { FailureNote } from './failure-note.tsx';
import { ContactDetailsDocument, type ContactDetailsQuery } from './operations.generated.ts';
import { readFailure } from './read-failure.ts';
import { type Connection, whyReadOnly } from './write-access.ts';

/** One contact with its companies and deals, and the CRM's own record: all are fetched only here. */
export function ContactDialog({ id, findConnection, onSaved, onClose }: ContactDialogProps) {
  const [isEdited, setIsEdited] = useState(false);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [{ data, error, fetching }, again] = useQuery({
    query: ContactDetailsDocument,
    variables: { id },
  });
  const contact = data?.node?.__typename === 'Contact' ? data.node : undefined;
  const failure = contact ? undefined : readFailure(error, 'node');
  const crm = CRMS.find(({ provider }) => provider === contact?.provider);
  const connection = crm && findConnection(crm.provider);
  const reason = crm && connection && whyReadOnly(crm, connection);
  return (
    <Drawer
      title={contact ? toName(contact) : 'Contact'}
      actions={
        contact &&
        connection &&
        !isEdited && (
          <button type="button" disabled={reason !== undefined} onClick={() => setIsEdited(true)}>
            Edit
          </button>
        )
      }
      onClose={onClose}
    >
      {reason && <p className="notice">{reason}</p>}
      {warnings.map((warning) => (
        <p key={warning} className="notice" role="status">
          {warning}
        </p>
      ))}
      {failure && <FailureNote failure={failure} isBusy={fetching} onRetry={again} />}
      {fetching && !contact && <p className="empty">Reading…</p>}
      {contact && crm && isEdited ? (
        <ContactForm
          crm={crm}
          contact={toEdited(contact)}
          onSaved={(_id, found) => {
            setIsEdited(false);
            setWarnings(found);
            again();
            onSaved();
          }}
        />
      ) : (
        contact && <Details contact={contact} error={error} title={crm?.title ?? 'the CRM'} />
      )}
    </Drawer>
  );
}

function toEdited({ remoteId, lastModifiedAt, firstName, lastName, custom }: Contact) {
  const values = {
    email: '',
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    jobTitle: custom.jobTitle ?? '',
  };
  return { remoteId, lastModifiedAt, values };
}

function Details({ contact, error, title }: DetailsProps) {
  const { emailAddresses, phoneNumbers, addresses, lifecycleStage, lastModifiedAt } = contact;
  const { companies, deals } = contact;
  const { favoriteColor, jobTitle } = contact.custom;
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
      <Linked
        title="Companies"
        failure={companies ? undefined : readFailure(error, 'node.companies', title)?.detail}
        isEmpty={companies?.edges.length === 0}
      >
        {companies?.edges.map(({ isPrimary, node: { id, name, domain } }) => (
          <li key={id}>
            <strong>{name ?? 'No name'}</strong>
            <span>{[domain, isPrimary && 'primary'].filter(Boolean).join(', ')}</span>
          </li>
        ))}
      </Linked>
      <Linked
        title="Deals"
        failure={deals ? undefined : readFailure(error, 'node.deals', title)?.detail}
        isEmpty={deals?.nodes.length === 0}
      >
        {deals?.nodes.map(({ id, name, status, amount, stage, closeDate }) => (
          <li key={id}>
            <strong>{name ?? 'No name'}</strong>
            <span>
              {[
                amount && toMoney(amount),
                stage?.label ?? (status && toWords(status)),
                closeDate && `closes ${closeDate}`,
              ]
                .filter(Boolean)
                .join(', ')}
            </span>
          </li>
        ))}
      </Linked>
      <details>
        <summary>As {title} sent it</summary>
        <pre>{JSON.stringify(contact.rawData, null, 2)}</pre>
      </details>
    </>
  );
}

/** The records of one type that a contact is linked to. They may fail where the contact does not. */
function Linked({ title, failure, isEmpty, children }: LinkedProps) {
  const heading = title.toLowerCase();
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading}>{title}</h3>
      {failure ? (
        <p className="problem" role="alert">
          {failure}
        </p>
      ) : (
        <ul className="links">
          {children}
          {isEmpty && <li>None</li>}
        </ul>
      )}
    </section>
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

interface DetailsProps {
  readonly contact: Contact;
  readonly error: CombinedError | undefined;
  readonly title: string;
}

interface LinkedProps {
  readonly title: string;
  readonly failure: string | undefined;
  readonly isEmpty: boolean;
  readonly children: ReactNode;
}

interface ContactDialogProps {
  readonly id: string;
  findConnection(provider: string): Connection | undefined;
  onSaved(): void;
  onClose(): void;
}
