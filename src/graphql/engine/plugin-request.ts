import type { HttpRequest } from '../../lib/http-message.ts';

/**
 * The HTTP request for plugins: a platform `Request` without its body, which was read already. Few plugins read more
 * than the method, so it is built when something else is read, once for all operations of a batch.
 */
export class PluginRequest implements Request {
  readonly method: string;
  readonly #request: HttpRequest;
  #built: Request | undefined;

  constructor(request: HttpRequest) {
    this.method = request.method;
    this.#request = request;
  }

  #build(): Request {
    const { method, url, headers } = this.#request;
    this.#built ??= new Request(url, { method, headers: Object.fromEntries(headers) });
    return this.#built;
  }

  get url(): Request['url'] {
    return this.#build().url;
  }

  get headers(): Request['headers'] {
    return this.#build().headers;
  }

  get signal(): Request['signal'] {
    return this.#build().signal;
  }

  get cache(): Request['cache'] {
    return this.#build().cache;
  }

  get credentials(): Request['credentials'] {
    return this.#build().credentials;
  }

  get destination(): Request['destination'] {
    return this.#build().destination;
  }

  get integrity(): Request['integrity'] {
    return this.#build().integrity;
  }

  get keepalive(): Request['keepalive'] {
    return this.#build().keepalive;
  }

  get mode(): Request['mode'] {
    return this.#build().mode;
  }

  get redirect(): Request['redirect'] {
    return this.#build().redirect;
  }

  get referrer(): Request['referrer'] {
    return this.#build().referrer;
  }

  get referrerPolicy(): Request['referrerPolicy'] {
    return this.#build().referrerPolicy;
  }

  get body(): Request['body'] {
    return this.#build().body;
  }

  get bodyUsed(): Request['bodyUsed'] {
    return this.#build().bodyUsed;
  }

  arrayBuffer(): ReturnType<Request['arrayBuffer']> {
    return this.#build().arrayBuffer();
  }

  blob(): ReturnType<Request['blob']> {
    return this.#build().blob();
  }

  bytes(): ReturnType<Request['bytes']> {
    return this.#build().bytes();
  }

  clone(): ReturnType<Request['clone']> {
    return this.#build().clone();
  }

  formData(): ReturnType<Request['formData']> {
    return this.#build().formData();
  }

  json(): ReturnType<Request['json']> {
    return this.#build().json();
  }

  text(): ReturnType<Request['text']> {
    return this.#build().text();
  }
}
