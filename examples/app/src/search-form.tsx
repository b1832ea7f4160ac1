import { type FormEvent, useState } from 'react';
import type { ContactFilter } from './operations.generated.ts';

const EXAMPLES = ['ada@example.com', 'team@shared.example', 'lumen.example', 'northwind.example'];

/** One field for both: a value with an @ is an email, any other a domain. */
export function SearchForm({ filter, onSearch }: SearchFormProps) {
  const [text, setText] = useState(filter.email ?? filter.emailDomain ?? '');
  const [problem, setProblem] = useState('');
  const search = (wanted: string) => {
    setText(wanted);
    const wish = readFilter(wanted.trim());
    setProblem(wish ? '' : 'Enter an email address, or a domain such as example.com.');
    if (wish) onSearch(wish);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search(text);
  };
  return (
    <search>
      <form onSubmit={submit}>
        <label htmlFor="search">Find by email or domain</label>
        <input
          id="search"
          type="search"
          {...{ autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit">Search</button>
      </form>
      {problem && <p role="alert">{problem}</p>}
      <p className="examples">
        Try{' '}
        {EXAMPLES.map((example) => (
          <button key={example} type="button" className="chip" onClick={() => search(example)}>
            {example}
          </button>
        ))}
      </p>
    </search>
  );
}

/** Undefined: neither an email nor a domain. The server checks it again. */
function readFilter(text: string): ContactFilter | undefined {
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return { email: text };
  return /^[^\s@.]+(\.[^\s@.]+)+$/.test(text) ? { emailDomain: text } : undefined;
}

interface SearchFormProps {
  readonly filter: ContactFilter;
  onSearch(filter: ContactFilter): void;
}
