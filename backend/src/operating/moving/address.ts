/** Where something sends its alerts or pings to at the source. */
export interface OldAddress {
  /** As the report has it. */
  name: string
  /** Of what it became: `alert_source:…` or `monitor:…`. */
  ref: string
  /** Keys are cut to their last characters, by which a person finds the sender. Empty: no file says it. */
  old: string[]
}

const SHOWN = 4
/** What is shorter is no key. */
const LEAST_KEY = 16
/** The end of a key, or nothing of a short one; one that was cut stays. */
export const endOf = (key: string): string =>
  key.startsWith('…') && key.length <= SHOWN + 1 ? key : key.length >= LEAST_KEY ? `…${key.slice(-SHOWN)}` : '…'

const CUT = encodeURIComponent('…')

/** The key that an address ends with, as that of Grafana OnCall, is a secret. */
export function withoutKey(address: string): string {
  const url = URL.parse(address)
  if (!url) return address
  const parts = url.pathname.replaceAll(CUT, '…').split('/')
  const path = parts.map((part) => (part.length >= LEAST_KEY ? endOf(part) : part)).join('/')
  return `${url.protocol}//${url.host}${path}`
}

/** A row of the table that is handed over: `new` is null where nothing is here, with why. */
export interface AddressRow extends OldAddress {
  new: string | null
  why: string
}

const LINE_BREAKS = /[\t\r\n]+/g

const COLUMNS = ['name', 'old address', 'new address', 'reference']
const HAS_TOKEN = /vdt_in_\w/

/** Columns with tabs between them, for a spreadsheet. Pure. */
export const addressTable = (rows: readonly AddressRow[]): string =>
  [COLUMNS, ...rows.map((row) => [row.name, row.old.join(', '), row.new ?? row.why, row.ref])]
    .map((cells) => cells.map((cell) => cell.replaceAll(LINE_BREAKS, ' ')).join('\t'))
    .join('\n')

/** The addresses with a token that a table has, by reference: nothing else shows them again. Pure. */
export const issuedIn = (table: string): Map<string, string> =>
  new Map(
    table.split('\n').flatMap((line) => {
      const [, , address = '', ref = ''] = line.split('\t')
      return HAS_TOKEN.test(address) && ref !== '' ? [[ref.trim(), address] as const] : []
    }),
  )
