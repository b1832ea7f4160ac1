import { connect } from 'crossbook-client';
import { useState } from 'react';
import { type Client, useClient } from 'urql';
import { backend } from './backend.ts';
import type { CrmInfo } from './crms.ts';
import { ConnectLinkDocument } from './operations.generated.ts';

/** Opens the CRM's consent page in a window, and has the backend redeem the code that comes back. */
export function ConnectButton({ crm, reason, label, onConnected }: ConnectButtonProps) {
  const client = useClient();
  const [words, setWords] = useState('');
  const start = async () => {
    setWords('Go on in the window that has opened.');
    try {
      const ended = await connect({
        createLink: () => backend.createConnectLink(crm.provider),
        readStatus: (id) => readStatus(client, id),
      });
      if (ended.status === 'AWAITING_CONFIRMATION') await backend.confirm(ended);
      setWords(ended.error ? `${crm.title} was not connected: ${ended.error}.` : '');
      onConnected();
    } catch (error) {
      setWords(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="connect">
      <p>{reason}</p>
      <button type="button" onClick={start}>
        {label}
      </button>
      <p role="status">{words}</p>
    </div>
  );
}

async function readStatus(client: Client, id: string) {
  const { data } = await client.query(ConnectLinkDocument, { id }).toPromise();
  if (!data?.connectLink) throw new Error('The link cannot be read.');
  return data.connectLink;
}

interface ConnectButtonProps {
  readonly crm: CrmInfo;
  /** Why it is to be connected, as a sentence. */
  readonly reason: string;
  readonly label: string;
  onConnected(): void;
}
