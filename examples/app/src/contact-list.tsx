import { toInitials, toName, toStage } from './contact-words.ts';
import type { ContactRowFragment } from './operations.generated.ts';

export function ContactList({ contacts, onOpen }: ContactListProps) {
  if (contacts.length === 0) return <p className="empty">No contact found here.</p>;
  return (
    <ul className="contacts">
      {contacts.map((contact) => (
        <li key={contact.id} className="contact">
          <button type="button" onClick={() => onOpen(contact.id)}>
            <span className="avatar" aria-hidden="true">
              {toInitials(contact)}
            </span>
            <span className="name">{toName(contact)}</span>
            <span className="email">{contact.emailAddresses[0]?.emailAddress}</span>
            {contact.lifecycleStage && (
              <span className="stage">{toStage(contact.lifecycleStage)}</span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ContactListProps {
  readonly contacts: readonly ContactRowFragment[];
  onOpen(contactId: string): void;
}
