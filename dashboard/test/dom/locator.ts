import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Element, HTMLElement, HTMLInputElement, HTMLOptionElement, HTMLSelectElement } from 'happy-dom'
import { byLabel, byRole, byText, isVisible, matches, normalized, type RoleOptions, type Text } from './queries.ts'
import * as user from './user.ts'

/** For a hang: a busy machine is several times slower. */
const LIMIT_MS = 30_000
const PAUSE_MS = 20

type State = 'visible' | 'hidden' | 'attached' | 'detached'
type Choice = string | { label?: string; index?: number }

/** Tries again until there is a value. */
export async function until<T>(what: () => T | undefined, problem: () => string): Promise<T> {
  const endMs = performance.now() + LIMIT_MS
  for (;;) {
    const value = what()
    if (value !== undefined) return value
    if (performance.now() > endMs) throw new Error(problem())
    await setTimeout(PAUSE_MS)
  }
}

/** After an action: what it causes at once has happened. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await setImmediate()
}

/** What is searched in the page at each use; an action waits until exactly one element is there. As Playwright's. */
export class Locator {
  readonly #find: () => Element[]
  readonly #description: string

  constructor(find: () => Element[], description: string) {
    this.#find = find
    this.#description = description
  }

  #within(search: (root: Element) => Element[], description: string): Locator {
    const find = () => [...new Set(this.#find().flatMap((root) => search(root)))]
    return new Locator(find, `${this.#description} > ${description}`)
  }
  #narrowed(choose: (elements: Element[]) => Element[], description: string): Locator {
    return new Locator(() => choose(this.#find()), `${this.#description} > ${description}`)
  }

  getByRole(role: string, options: RoleOptions = {}): Locator {
    return this.#within((root) => byRole(root, role, options), `${role} ${String(options.name ?? '')}`)
  }
  getByLabel(label: Text, { exact = false } = {}): Locator {
    return this.#within((root) => byLabel(root, label, exact), `label ${label}`)
  }
  getByText(text: Text, { exact = false } = {}): Locator {
    return this.#within((root) => byText(root, text, exact), `text ${text}`)
  }
  /** By selector. */
  locator(selector: string, { has, hasText }: { has?: Locator; hasText?: Text } = {}): Locator {
    const found = this.#within((root) => [...root.querySelectorAll(selector)], selector)
    return has || hasText !== undefined ? found.filter({ ...(has && { has }), ...(hasText !== undefined && { hasText }) }) : found
  }
  filter({ has, hasText, visible }: { has?: Locator; hasText?: Text; visible?: boolean }): Locator {
    const fits = (element: Element) =>
      (has === undefined || has.elements().some((inner) => element.contains(inner))) &&
      (hasText === undefined || matches(normalized(element.textContent), hasText)) &&
      (visible === undefined || isVisible(element) === visible)
    return this.#narrowed((elements) => elements.filter(fits), `with ${String(hasText ?? '')}`)
  }
  or(other: Locator): Locator {
    return this.#narrowed((elements) => [...new Set([...elements, ...other.elements()])], 'or another')
  }
  nth(index: number): Locator {
    return this.#narrowed((elements) => elements.slice(index, index + 1), `number ${index}`)
  }
  first(): Locator {
    return this.nth(0)
  }
  last(): Locator {
    return this.#narrowed((elements) => elements.slice(-1), 'last')
  }

  elements(): Element[] {
    return this.#find()
  }
  #one(isReady: (element: HTMLElement) => boolean = () => true): Promise<HTMLElement> {
    const one = () => {
      const [element, other] = this.#find() as HTMLElement[]
      if (other) throw new Error(`${this.#find().length} elements: ${this.#description}`)
      return element && isReady(element) ? element : undefined
    }
    return until(one, () => `not in the page: ${this.#description}`)
  }
  /** Once the page has listened to its controls, which it does just after it has drawn them. */
  async #usable(): Promise<HTMLElement> {
    const isUsable = (element: HTMLElement) => isVisible(element) && !user.isDisabled(element) && !user.isInert(element)
    await this.#one(isUsable)
    await settle()
    return this.#one(isUsable)
  }

  async waitFor({ state = 'visible' }: { state?: State } = {}): Promise<void> {
    const isSo = () => {
      const elements = this.#find()
      if (state === 'attached') return elements.length > 0
      if (state === 'detached') return elements.length === 0
      return elements.some((element) => isVisible(element)) === (state === 'visible')
    }
    await until(
      () => isSo() || undefined,
      () => `not ${state}: ${this.#description}`,
    )
  }

  // oxlint-disable-next-line typescript/require-await -- as Playwright's, which asks another process
  async count(): Promise<number> {
    return this.#find().length
  }
  // oxlint-disable-next-line typescript/require-await
  async all(): Promise<Locator[]> {
    return this.#find().map((element) => new Locator(() => [element], this.#description))
  }
  // oxlint-disable-next-line typescript/require-await
  async allTextContents(): Promise<string[]> {
    return this.#find().map(({ textContent }) => textContent)
  }
  /** The cells of a row are apart, as on the screen. */
  // oxlint-disable-next-line typescript/require-await
  async allInnerTexts(): Promise<string[]> {
    return this.#find().map((element) => {
      const cells = [...element.querySelectorAll('th, td')]
      return cells.length > 0 ? cells.map(({ textContent }) => textContent).join('\t') : element.textContent
    })
  }
  async textContent(): Promise<string> {
    return (await this.#one()).textContent
  }
  async innerHTML(): Promise<string> {
    return (await this.#one()).innerHTML
  }
  async inputValue(): Promise<string> {
    return ((await this.#one()) as HTMLInputElement).value
  }
  async getAttribute(name: string): Promise<string | null> {
    return (await this.#one()).getAttribute(name)
  }
  // oxlint-disable-next-line typescript/require-await
  async isVisible(): Promise<boolean> {
    return this.#find().some((element) => isVisible(element))
  }
  async isDisabled(): Promise<boolean> {
    return user.isDisabled(await this.#one())
  }
  async isChecked(): Promise<boolean> {
    return user.isChecked(await this.#one())
  }
  async evaluate<T>(act: (element: HTMLElement) => T): Promise<T> {
    return act(await this.#one())
  }

  async #act(act: (element: HTMLElement) => void, element = this.#usable()): Promise<void> {
    act(await element)
    await settle()
  }

  focus(): Promise<void> {
    return this.#act(user.focus, this.#one())
  }
  click(): Promise<void> {
    return this.#act(user.click)
  }
  tap(): Promise<void> {
    return this.click()
  }
  dblclick(): Promise<void> {
    return this.#act((element) => {
      user.click(element)
      user.click(element)
    })
  }
  fill(value: string): Promise<void> {
    return this.#act((element) => user.fill(element, value))
  }
  press(key: string): Promise<void> {
    return this.#act((element) => {
      user.focus(element)
      user.press(element, key)
    })
  }
  check(): Promise<void> {
    return this.#act((element) => void (user.isChecked(element) || user.click(element)))
  }
  uncheck(): Promise<void> {
    return this.#act((element) => void (user.isChecked(element) && user.click(element)))
  }
  /** By value or label; waits until the option is there. */
  async selectOption(choice: Choice): Promise<void> {
    const select = (await this.#usable()) as HTMLSelectElement
    const fits = (option: HTMLOptionElement, index: number) =>
      typeof choice === 'string'
        ? option.value === choice || normalized(option.textContent) === choice
        : choice.index === undefined
          ? normalized(option.textContent) === choice.label
          : index === choice.index
    const index = await until(
      () => {
        const at = ([...select.options] as HTMLOptionElement[]).findIndex(fits)
        return at < 0 ? undefined : at
      },
      () => `no option ${JSON.stringify(choice)}: ${this.#description}`,
    )
    user.select(select, index)
    await settle()
  }
  setInputFiles({ name, mimeType, buffer }: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    return this.#act((element) => user.chooseFile(element as HTMLInputElement, name, mimeType, buffer), this.#one())
  }
}
