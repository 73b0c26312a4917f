/** A browser without a screen: it keeps cookies, follows redirects, and logs in at the forms of the issuer. */

interface Kept {
  readonly path: string
  readonly value: string
}

export interface Visit {
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly text: string
  /** Every address on the way, the last one included. */
  readonly way: readonly string[]
}

export class Browser {
  /** By name and path; all servers of a test have one host, and a browser tells no ports apart. */
  readonly #jar = new Map<string, Kept>()

  /** The cookies that it would send. */
  cookies(path = '/'): string {
    const fit = [...this.#jar].filter(([, kept]) => path.startsWith(kept.path))
    return fit.map(([key, kept]) => `${key.split(' ')[0] ?? ''}=${kept.value}`).join('; ')
  }

  cookie(name: RegExp): readonly [name: string, value: string] | undefined {
    const found = [...this.#jar].find(([key]) => name.test(key))
    return found === undefined ? undefined : [found[0].split(' ')[0] ?? '', found[1].value]
  }

  put(name: string, value: string, path = '/'): void {
    this.#jar.set(`${name} ${path}`, { path, value })
  }

  /** One request, nothing followed. */
  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(url)
    const cookie = this.cookies(pathname)
    const headers = { ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string> | undefined) }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  /** Follows redirects until `stop` fits an address, which is not asked any more. */
  async go(url: string, init: RequestInit = {}, stop?: RegExp): Promise<Visit> {
    const way = [url]
    let response = await this.ask(url, init)
    for (;;) {
      const at = way.at(-1) ?? url
      const next = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || next === null)
        return { status: response.status, url: at, headers: response.headers, text: await response.text(), way }
      await response.body?.cancel()
      const address = new URL(next, at).href
      way.push(address)
      if (stop?.test(address) === true)
        return { status: response.status, url: address, headers: response.headers, text: '', way }
      response = await this.ask(address)
    }
  }

  /** From the page of the issuer on: the name, then the consent, as often as it asks. */
  async logIn(visit: Visit, name: string, stop?: RegExp): Promise<Visit> {
    let at = visit
    for (let forms = 0; forms < 4 && /name="prompt"/.test(at.text); forms += 1) {
      const action = /action="([^"]+)"/.exec(at.text)?.[1] ?? ''
      const prompt = /name="prompt" value="([^"]+)"/.exec(at.text)?.[1] ?? ''
      const body = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login: name, password: 'x' } : {}) })
      at = await this.go(new URL(action, at.url).href, { method: 'POST', body }, stop)
    }
    return at
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const name = pair.slice(0, pair.indexOf('='))
    const told = new Map(attributes.map((one) => [one.split('=')[0]?.toLowerCase(), one.slice(one.indexOf('=') + 1)]))
    const path = told.get('path') ?? '/'
    const expires = told.get('expires')
    const isOver = told.get('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now())
    if (isOver) this.#jar.delete(`${name} ${path}`)
    else this.#jar.set(`${name} ${path}`, { path, value: pair.slice(name.length + 1) })
  }
}
