import type { HTMLElement } from 'happy-dom'
import type { Root } from 'react-dom/client'
import type { TestBackend } from '../../../backend/test/harness.ts'
import { Locator, settle, until } from './locator.ts'
import type { RoleOptions, Text } from './queries.ts'
import { fetchFor, type Handler, type Interception, type SentRequest } from './requests.ts'
import * as user from './user.ts'
import { openWindow } from './window.ts'

export const ORIGIN = 'http://127.0.0.1'
const PREFERENCES_KEY = 'vedette-preferences'

interface Options {
  backend: TestBackend
  /** The token of the session; none: signed out. */
  token?: string | undefined
  /** Gets what the page writes as an error to its console. */
  complaints: string[]
}

let current: Page | undefined
/** Those of Node, while no page is open. */
const { fetch } = globalThis
const { error: writeError } = console

/** React looks for the window and for the kind of build when it is loaded; that of users is several times faster. */
async function loadDashboard() {
  const before = process.env['NODE_ENV']
  process.env['NODE_ENV'] = 'production'
  try {
    return await import('../../src/start.ts')
  } finally {
    process.env['NODE_ENV'] = before
  }
}

/**
 * The dashboard without a browser: its own code in the window of happy-dom, with the API of a test's backend. One at a time: it closes
 * the page before. It has the part of Playwright's API that our tests use. What needs a layout, styles, the keyboard's order of focus,
 * several tabs or the network is tested in Chromium.
 */
export class Page {
  readonly #window = openWindow()
  readonly #options: Options
  readonly #listeners: ((request: SentRequest) => void)[] = []
  #interceptions: Interception[] = []
  #root: Root | undefined
  /** Counts up when the page is left. */
  #loads = 0
  readonly #everything: Locator

  /** What this page has stored while another one has the window. */
  #stored: [string, string][][] = [[], []]
  /** Where it was then. */
  #address = ORIGIN

  constructor(options: Options) {
    this.#options = options
    this.#everything = new Locator(() => [this.#window.document.documentElement], 'page')
  }

  /** Takes the window. */
  #enter(): void {
    if (current === this) return
    current?.close()
    // oxlint-disable-next-line unicorn/no-this-assignment, typescript/no-this-alias -- the window belongs to one page at a time
    current = this
    const options = this.#options
    for (const [index, storage] of this.#storages().entries())
      for (const [name, value] of this.#stored[index] ?? []) storage.setItem(name, value)
    const send = fetchFor(
      options.backend,
      () => this.#interceptions,
      (request) => {
        for (const listener of this.#listeners) listener(request)
      },
    )
    globalThis.fetch = (...request) => this.#whileOpen(send(...request))
    console.error = (...parts: unknown[]) => void options.complaints.push(parts.map(String).join(' '))
  }

  /** As in a browser: what a page does with an answer that comes after it was left would show in the next one, which has the same modules. */
  #whileOpen<T>(answer: Promise<T>): Promise<T> {
    const loads = this.#loads
    return new Promise((resolve, reject) => {
      const isOpen = () => loads === this.#loads
      answer.then(
        (value) => void (isOpen() && resolve(value)),
        (error: unknown) => void (isOpen() && reject(error)),
      )
    })
  }

  /** An address, or a path. */
  async goto(address: string): Promise<void> {
    this.#enter()
    this.#unload()
    this.#window.happyDOM.setURL(new URL(address, ORIGIN).href)
    if (this.#options.token !== undefined) this.#window.sessionStorage.setItem('vedette-token', this.#options.token)
    await this.#load()
  }
  reload(): Promise<void> {
    return this.goto(this.url())
  }
  async #load(): Promise<void> {
    const { startPage } = await loadDashboard()
    const { document } = this.#window
    document.head.innerHTML = '<title>Vedette</title><link rel="icon" href="/icon.svg">'
    document.body.innerHTML = '<div id="root"></div>'
    this.#root = await startPage(document.getElementById('root') as never)
  }
  /** Also what the modules of the page would lose with their document. */
  #unload(): void {
    this.#loads += 1
    if (!this.#root) return
    for (const close of this.#everything
      .getByLabel('Messages', { exact: true })
      .getByRole('button', { name: 'Close' })
      .elements())
      user.click(close as HTMLElement)
    const { StorageEvent } = this.#window
    this.#window.dispatchEvent(new StorageEvent('storage', { key: PREFERENCES_KEY }))
    this.#root.unmount()
    this.#root = undefined
  }
  /** Leaves the window to others. */
  close(): void {
    if (current !== this) return
    this.#address = this.url()
    current = undefined
    this.#stored = this.#storages().map((storage) =>
      Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '').map((name) => [
        name,
        storage.getItem(name) ?? '',
      ]),
    )
    for (const storage of this.#storages()) storage.clear()
    this.#unload()
    this.#interceptions = []
    globalThis.fetch = fetch
    console.error = writeError
  }
  #storages() {
    return [this.#window.sessionStorage, this.#window.localStorage]
  }

  url(): string {
    return current === this ? this.#window.location.href : this.#address
  }
  // oxlint-disable-next-line typescript/require-await -- as Playwright's
  async title(): Promise<string> {
    return this.#window.document.title
  }
  // oxlint-disable-next-line typescript/require-await
  async content(): Promise<string> {
    return this.#window.document.documentElement.outerHTML
  }
  async goBack(): Promise<void> {
    const before = this.url()
    this.#window.history.back()
    await until(
      () => this.url() !== before || undefined,
      () => `still at ${before}`,
    )
  }

  getByRole(role: string, options: RoleOptions = {}): Locator {
    return this.#everything.getByRole(role, options)
  }
  getByLabel(label: Text, options: { exact?: boolean } = {}): Locator {
    return this.#everything.getByLabel(label, options)
  }
  getByText(text: Text, options: { exact?: boolean } = {}): Locator {
    return this.#everything.getByText(text, options)
  }
  locator(selector: string, options: { has?: Locator; hasText?: Text } = {}): Locator {
    return this.#everything.locator(selector, options)
  }
  readonly keyboard = {
    /** At the element that has the focus. */
    press: (key: string): Promise<void> => {
      user.press(this.#focused(), key)
      return settle()
    },
    insertText: (text: string): Promise<void> => {
      user.insert(this.#focused(), text)
      return settle()
    },
    type: async (text: string): Promise<void> => {
      for (const letter of text) await this.keyboard.press(letter)
    },
  }
  /** Focus that went with an element of an earlier page is at none. */
  #focused(): HTMLElement {
    const { activeElement, body } = this.#window.document
    return (activeElement?.isConnected ? activeElement : body) as HTMLElement
  }

  /** The value of a script. */
  // oxlint-disable-next-line typescript/require-await
  async evaluate(script: string): Promise<unknown> {
    // oxlint-disable-next-line no-eval -- scripts of our tests, which Chromium runs as well
    return (0, eval)(script)
  }

  on(_: 'request', listener: (request: SentRequest) => void): void {
    this.#listeners.push(listener)
  }
  /** Requests that fit a pattern with `*` and `**` go to the handler. */
  // oxlint-disable-next-line typescript/require-await
  async route(pattern: string, handler: Handler, { times = Number.POSITIVE_INFINITY } = {}): Promise<void> {
    this.#interceptions.unshift({ pattern, handler, left: times })
  }
  // oxlint-disable-next-line typescript/require-await
  async unroute(pattern: string): Promise<void> {
    this.#interceptions = this.#interceptions.filter((each) => each.pattern !== pattern)
  }
}
