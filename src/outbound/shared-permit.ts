import type { WorkPermit } from '../domain/work-permit.ts';

/**
 * For a call that several requests wait for: its clients have gone when the last one has, and what it keeps is released
 * when the last of the requests is over. Each of them pauses its own permit.
 */
export function sharePermit(permits: readonly WorkPermit[]): CallPermit {
  return {
    whenGone(callback) {
      let left = permits.length;
      const forgets = permits.map((permit) =>
        permit.whenGone(() => {
          left--;
          if (left === 0) callback();
        }),
      );
      return () => {
        for (const forget of forgets) forget();
      };
    },

    takeTurn: () => permits[0]?.takeTurn(),

    keep(hold) {
      let left = permits.length;
      const release = () => {
        left--;
        if (left === 0) hold.release();
      };
      for (const permit of permits) permit.keep({ release });
    },
  };
}

/** What a call needs of the requests that it is made for. */
export type CallPermit = Pick<WorkPermit, 'takeTurn' | 'whenGone' | 'keep'>;
