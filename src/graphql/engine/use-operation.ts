import type { Plugin } from 'graphql-yoga';
import type { EngineOptions, OperationContext } from './plugin-engine.ts';
import { checkPlugin } from './plugins.ts';

/** Lays down how an operation is parsed, validated and executed. Plugins after it may wrap that. */
export function useOperation({ schema: ours }: EngineOptions): OperationPlugin {
  return {
    onSchemaChange({ schema }) {
      if (schema !== ours) throw new Error('A plugin puts another schema in place of ours.');
    },
    onParse({ context, setParseFn }) {
      setParseFn(() => context[RUN].readDocument());
    },
    onValidate({ context, setValidationFn }) {
      setValidationFn((_schema, document, rules) => context[RUN].validate(document, rules));
    },
    onExecute({ context, setExecuteFn }) {
      setExecuteFn((args) => context[RUN].execute(args));
    },
  };
}

/**
 * Sees the parameters as the plugins before it have left them, and decides whether the operation may run: before any of their
 * later hooks. Refuses those of them that rely on what does not run, also where one has added another.
 */
export function useAdmission({ plugins: named }: EngineOptions, first: object): OperationPlugin {
  const last: OperationPlugin = {
    onPluginInit({ plugins }) {
      const all: readonly object[] = plugins;
      let name = '';
      for (const plugin of all.slice(all.indexOf(first) + 1, all.indexOf(last))) {
        name = Object.keys(named).find((key) => named[key] === plugin) ?? name;
        checkPlugin(name, plugin);
      }
    },
    onParams({ params, context, setParams, setResult }) {
      const run = context[RUN];
      const query = run.findText(params);
      const found = query === params.query ? params : { ...params, query };
      if (found !== params) setParams(found);
      const known = run.answerKnown(found);
      return known ? known.then(setResult) : run.prepare(found);
    },
  };
  return last;
}

/** Where the context of an operation has what is ours alone. */
export const RUN = Symbol('operation');

type OperationPlugin = Plugin<OperationContext, OperationContext>;
