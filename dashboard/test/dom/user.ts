import type { Element, HTMLElement, HTMLFormElement, HTMLInputElement, HTMLSelectElement } from 'happy-dom'

/** What a browser does for a person: the events of a click, a key or a typed text, and what they cause where no page forbids it. */

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]'

export const isDisabled = (element: Element): boolean => element.matches(':disabled, fieldset:disabled *')

/** Behind the dialog that is open. */
export function isInert(element: Element): boolean {
  const dialog = [...element.ownerDocument.querySelectorAll('dialog[open]')].at(-1)
  return dialog !== undefined && !dialog.contains(element)
}

export const isChecked = (element: Element): boolean =>
  (element as HTMLInputElement).checked || element.getAttribute('aria-checked') === 'true'

const viewOf = (element: Element) => element.ownerDocument.defaultView as NonNullable<Element['ownerDocument']['defaultView']>

export function focus(element: HTMLElement): void {
  const target = element.closest(FOCUSABLE) as HTMLElement | null
  if (element.ownerDocument.activeElement === target) return
  if (target) target.focus()
  else (element.ownerDocument.activeElement as HTMLElement | null)?.blur()
}

export function click(element: HTMLElement): void {
  // The second click of a double click may find the page changed.
  if (!element.isConnected || isDisabled(element)) return
  const { MouseEvent, PointerEvent } = viewOf(element)
  const init = { bubbles: true, cancelable: true, button: 0, detail: 1 }
  element.dispatchEvent(new PointerEvent('pointermove', { ...init, pointerType: 'mouse' }))
  element.dispatchEvent(new PointerEvent('pointerdown', { ...init, pointerType: 'mouse' }))
  if (element.dispatchEvent(new MouseEvent('mousedown', init))) focus(element)
  element.dispatchEvent(new PointerEvent('pointerup', { ...init, pointerType: 'mouse' }))
  element.dispatchEvent(new MouseEvent('mouseup', init))
  element.dispatchEvent(new MouseEvent('click', init))
}

/** The property of the class: React puts its own before it, and would take a value that is set there for its own. */
function propertyOf(element: object, name: string): PropertyDescriptor {
  const prototype: object = Object.getPrototypeOf(element)
  return Object.getOwnPropertyDescriptor(prototype, name) ?? propertyOf(prototype, name)
}

function setValue(element: HTMLInputElement, value: string): void {
  propertyOf(element, 'value').set?.call(element, value)
  const { Event, InputEvent } = viewOf(element)
  element.dispatchEvent(new InputEvent('input', { bubbles: true, data: value }))
  element.dispatchEvent(new Event('change', { bubbles: true }))
}

export function fill(element: HTMLElement, value: string): void {
  focus(element)
  const { maxLength } = element as HTMLInputElement
  setValue(element as HTMLInputElement, maxLength > 0 ? value.slice(0, maxLength) : value)
}

export function select(element: HTMLSelectElement, index: number): void {
  focus(element)
  element.selectedIndex = index
  const { Event } = viewOf(element)
  for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }))
}

export function chooseFile(element: HTMLInputElement, name: string, type: string, content: Buffer): void {
  const { Event, File } = viewOf(element)
  const files = [new File([content], name, { type })]
  Object.defineProperty(element, 'files', { configurable: true, value: files })
  element.dispatchEvent(new Event('change', { bubbles: true }))
}

const isTextField = (element: Element): boolean =>
  element.matches('textarea, input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=file])')

/** Enter, Escape or a letter; with `Control+` before it. */
export function press(element: HTMLElement, keys: string): void {
  const { Event, KeyboardEvent } = viewOf(element)
  const ctrlKey = keys.startsWith('Control+')
  const key = ctrlKey ? keys.slice('Control+'.length) : keys
  const init = { key, ctrlKey, bubbles: true, cancelable: true }
  const goesOn = element.dispatchEvent(new KeyboardEvent('keydown', init))
  if (goesOn) {
    if (ctrlKey && key === 'a') (element as HTMLInputElement).select()
    else if (key === 'Escape') cancelDialog(element.ownerDocument, Event)
    else if (key === 'Enter') enter(element)
    else if (key.length === 1 && !ctrlKey) insert(element, key)
  }
  element.dispatchEvent(new KeyboardEvent('keyup', init))
}

/** Types a text in place of what is selected, as far as there is room. */
export function insert(element: HTMLElement, text: string): void {
  if (!isTextField(element)) return
  const { value, selectionStart, selectionEnd, maxLength } = element as HTMLInputElement
  const kept = value.slice(0, selectionStart ?? value.length) + value.slice(selectionEnd ?? value.length)
  const room = maxLength > 0 ? maxLength - kept.length : text.length
  setValue(
    element as HTMLInputElement,
    value.slice(0, selectionStart ?? value.length) + text.slice(0, room) + value.slice(selectionEnd ?? value.length),
  )
}

/** A button is pressed, a form is sent by its first button. */
function enter(element: HTMLElement): void {
  if (element.matches('a[href], button, summary')) return click(element)
  if (!isTextField(element) || element.localName === 'textarea') return
  const form = element.closest('form') as HTMLFormElement | null
  const button = form?.querySelector('button[type=submit], input[type=submit]') as HTMLElement | null
  if (button) click(button)
}

/** Escape closes the dialog that was opened last, unless its page forbids it. */
function cancelDialog(document: Element['ownerDocument'], Event: ReturnType<typeof viewOf>['Event']): void {
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1)
  dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))
}
