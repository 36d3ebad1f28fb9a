import { Window } from 'happy-dom'

/** What of the window Node does not have, and the few that must be those of the window: the rest of Node stays as the backend needs it. */
const OF_THE_WINDOW = new Set(['navigator', 'localStorage', 'sessionStorage', 'CustomEvent', 'FormData'])
/** Libraries of the backend would request their source maps with it. */
const WITHOUT = new Set(['XMLHttpRequest'])
/** Read at each use: the window replaces them when the address changes. */
const CHANGING = ['location', 'history', 'document']

/** Those of the tests: happy-dom reads all options of a choice for each that it inserts, and all zones would take half a second. */
const TIME_ZONES = ['Asia/Tokyo', 'Europe/Berlin', 'Europe/Paris', 'Pacific/Auckland', 'UTC']

let shared: Window | undefined

/** The only window of this process. Its names become global, as in a browser; nothing is loaded from the network. */
export function openWindow(): Window {
  if (shared) return shared
  // As that of Chromium in the other tests, whatever the zone of the machine is.
  process.env['TZ'] = 'UTC'
  const settings = { disableCSSFileLoading: true, disableJavaScriptFileLoading: true, disableIframePageLoading: true }
  const window = new Window({ url: 'http://127.0.0.1/', width: 1440, height: 900, settings })
  const values = window as unknown as Record<string, unknown>
  for (const name of Object.getOwnPropertyNames(window)) {
    if ((name in globalThis && !OF_THE_WINDOW.has(name)) || CHANGING.includes(name) || WITHOUT.has(name)) continue
    const value = values[name]
    const isMethod = typeof value === 'function' && /^[a-z]/.test(name)
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value: isMethod ? value.bind(window) : value })
  }
  for (const name of CHANGING) Object.defineProperty(globalThis, name, { configurable: true, get: () => values[name] })
  Object.assign(Intl, { supportedValuesOf: () => TIME_ZONES })
  // A tab asks the others for their session: the pages of earlier tests would answer.
  Object.assign(globalThis, { BroadcastChannel: undefined })
  Object.assign(globalThis, { window: globalThis, self: globalThis, isSecureContext: false, scrollTo: () => undefined })
  shared = window
  return window
}
