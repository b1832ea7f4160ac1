import { type Calls, type Channel, type Link, openLink } from '../../src/workers/link.ts';

/** Two links whose messages go through JSON, as between processes. */
export function openLinks<Left extends Calls, Right extends Calls>(
  left: Left,
  right: Right,
): { readonly left: Link<Right>; readonly right: Link<Left>; close(): void } {
  const ends = [createEnd(), createEnd()] as const;
  const opened = {
    left: openLink<Right, Left>(toChannel(ends[0], ends[1]), left),
    right: openLink<Left, Right>(toChannel(ends[1], ends[0]), right),
  };
  return {
    ...opened,
    close() {
      for (const { onClose } of ends) onClose();
    },
  };
}

function createEnd(): End {
  return { onMessage: () => {}, onClose: () => {} };
}

function toChannel(own: End, other: End): Channel {
  return {
    send(message, onSent) {
      const text = JSON.stringify(message);
      setImmediate(() => {
        onSent(null);
        other.onMessage(JSON.parse(text));
      });
    },
    onMessage(listener) {
      own.onMessage = listener;
    },
    onClose(listener) {
      own.onClose = listener;
    },
  };
}

interface End {
  onMessage(message: unknown): void;
  onClose(): void;
}
