/** Searches all output of a test's product, in the whole suite, for secrets. */
export function watchSecrets(secrets: Readonly<Record<string, string | undefined>>): SecretWatch {
  const leaks: string[] = [];
  return {
    look(place, text) {
      for (const [name, secret] of Object.entries(secrets)) {
        if (secret !== undefined && text.includes(secret)) leaks.push(`${name} in ${place}`);
      }
    },
    done() {
      if (leaks.length > 0) throw new Error(`Secrets were told: ${leaks.join('; ')}`);
    },
  };
}

export interface SecretWatch {
  look(place: string, text: string): void;
  /** Throws if a secret was found. */
  done(): void;
}
