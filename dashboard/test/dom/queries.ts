import { computeAccessibleName, getRole } from 'dom-accessibility-api'
import type { Element, HTMLInputElement } from 'happy-dom'

export type Text = string | RegExp
export interface RoleOptions {
  name?: Text
  exact?: boolean
  level?: number
}

/** Without styles nothing is computed: classes and attributes say what is hidden at a wide screen. */
const HIDDEN =
  '[hidden], [aria-hidden="true"], .hidden:not([class*="lg:"]), .lg\\:hidden, dialog:not([open]), script, style, template'

type Dom = Parameters<typeof getRole>[0]
/** The types of the two libraries are those of a browser and of happy-dom. */
const asDom = (element: Element): Dom => element
const NO_STYLE = { getPropertyValue: () => '', content: '', display: '', visibility: '' } as unknown as CSSStyleDeclaration
type CSSStyleDeclaration = ReturnType<NonNullable<NonNullable<Parameters<typeof computeAccessibleName>[1]>['getComputedStyle']>>

export const normalized = (text: string | null): string => (text ?? '').replaceAll(/\s+/g, ' ').trim()

/** A part of the text in any case, or with `exact` all of it. */
export function matches(text: string, wanted: Text, exact = false): boolean {
  if (wanted instanceof RegExp) return wanted.test(text)
  return exact ? text === normalized(wanted) : text.toLowerCase().includes(normalized(wanted).toLowerCase())
}

export function isVisible(element: Element): boolean {
  if (element.closest(HIDDEN)) return false
  const folded = element.closest('details:not([open])')
  return folded === null || folded === element || element.closest('summary')?.parentElement === folded
}

const inside = (root: Element): Element[] => [...root.querySelectorAll('*')]

/** The name that a screen reader says. */
export const nameOf = (element: Element): string =>
  normalized(
    computeAccessibleName(asDom(element), { getComputedStyle: () => NO_STYLE, computedStyleSupportsPseudoElements: false }),
  )

export function byRole(root: Element, role: string, { name, exact = false, level }: RoleOptions): Element[] {
  return inside(root).filter((element) => {
    if (roleOf(element) !== role || !isVisible(element)) return false
    if (level !== undefined && element.localName !== `h${level}`) return false
    return name === undefined || matches(nameOf(element), name, exact)
  })
}

/** A header cell has the role of its column; a section without a name has none. */
function roleOf(element: Element): string | null {
  const role = getRole(asDom(element))
  if (role === 'region' && !element.hasAttribute('aria-label') && !element.hasAttribute('aria-labelledby')) return null
  return role
}

/** The texts of the labels of a control. */
function labelsOf(element: Element): string[] {
  const ids = element.getAttribute('aria-labelledby')
  if (ids !== null)
    return [
      ids
        .split(/\s+/)
        .map((id) => element.ownerDocument.getElementById(id)?.textContent ?? '')
        .join(' '),
    ]
  const label = element.getAttribute('aria-label')
  if (label !== null) return [label]
  return [...((element as HTMLInputElement).labels ?? [])].map(({ textContent }) => textContent)
}

export const byLabel = (root: Element, label: Text, exact: boolean): Element[] =>
  inside(root).filter((element) => labelsOf(element).some((text) => matches(normalized(text), label, exact)))

/** The innermost elements with a text; of the root too. */
export function byText(root: Element, text: Text, exact: boolean): Element[] {
  const has = (element: Element) => matches(normalized(element.textContent), text, exact)
  return [root, ...inside(root)].filter(
    (element) => !element.matches('script, style') && has(element) && ![...element.children].some((child) => has(child)),
  )
}
