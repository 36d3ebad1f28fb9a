import type { ErrorDetail } from '../../../wire/errors.ts'
import type { AssertionTypeSpec, Observed } from '../assertion-spec.ts'
import type { NetworkUse } from '../network-use.ts'

/** Maps a text that a check sends; `path` leads to it from the option, empty for the option itself. */
export type MapSent = (text: string, path: string) => string

/** One option of a kind: a field of `options`, and of the page's editor. */
export type OptionSpec = {
  label: string
  hint?: string
  /**
   * Maps the texts of the value that the check sends. They may have secrets: the option is stored encrypted, and only who may change
   * monitors reads them. `true`: the text itself. Pure.
   */
  sent?: true | ((value: unknown, map: MapSent) => unknown)
} & (
  | { form: 'text'; maxLength: number; default?: string; isRequired?: true; isLong?: true }
  | { form: 'number'; minimum: number; maximum: number; unit?: string; default: number }
  | { form: 'boolean'; default: boolean }
  | { form: 'choice'; choices: readonly string[]; default: string }
  /** A list of texts, each at most `maxLength` characters. */
  | { form: 'list'; maxItems: number; maxLength: number; default: readonly string[] }
  /** `faults` alone checks it, and a component of its own edits it, or a text of lines. */
  | { form: 'own'; lines?: LinesForm }
)

/** A value as people type it, one item a line. Pure; of invalid values `toValue` makes invalid ones, which `faults` refuses. */
export interface LinesForm {
  toLines(value: unknown): string[]
  toValue(lines: readonly string[]): unknown
}

/** What decides where the credentials of a definition are sent. It may have faults. */
export interface SentDefinition {
  url: string
  options: Readonly<Record<string, unknown>>
}

/** A secret of a kind: a field of `credentials`, which is stored encrypted and shown to nobody. */
export interface CredentialSpec {
  label: string
  hint?: string
  maxLength: number
  isLong?: true
  /** Where it is sent: that of the URL alone without this. A change that adds a destination must send the credential again. Pure. */
  sentTo?(definition: SentDefinition, name: string): readonly string[]
}

/** A figure or text that checks of a kind report, and an assertion type. */
export interface FactSpec extends AssertionTypeSpec {
  /** True where a failure leaves the target degraded instead of down. */
  degradesOnly?: true
}

/**
 * The description of a kind of check: validation, the page's editor and the API's description read it. It needs no schema library,
 * so that the page and a probe's thread can load it alone. The check itself is in the backend's registry of kinds.
 */
export interface CheckKindSpec {
  label: string
  /** One sentence. */
  description: string
  /** Of its URLs, as `https:`. */
  protocols: readonly string[]
  /** A URL. */
  example: string
  /** Of a definition without one; other kinds need one. */
  defaultUrl?: string
  /** True where a URL without a host is valid, as `dns:///example.com`. */
  mayLackHost?: true
  /** True where its URLs may have mail ports. */
  isMail?: true
  /** How its checks use the network, and so which of the network options they have; none without it. */
  network?: NetworkUse
  options: Readonly<Record<string, OptionSpec>>
  credentials: Readonly<Record<string, CredentialSpec>>
  /** What common assertions can look at. */
  observes: readonly Observed[]
  /** By the name in `facts` of a result. */
  facts: Readonly<Record<string, FactSpec>>
  /** Seconds; the common default without it. */
  defaultInterval?: number
  /** Seconds; the common minimum without it. */
  minimumInterval?: number
  /** Faults that the tables cannot express. The options are valid by themselves, with defaults. Pure. */
  faults?(definition: KindInput): ErrorDetail[]
}

export interface KindInput {
  url: URL
  options: Readonly<Record<string, unknown>>
  credentials: Readonly<Record<string, string>>
  /** Of HTTP. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Faults of headers and of assertions of HTTP, which options may contain; paths begin with `headers` and `assertions`. */
  headersFaults(headers: Record<string, string>): ErrorDetail[]
  assertionsFaults(assertions: unknown): ErrorDetail[]
}

/** The value of an option by its specification. */
export type OptionValue<Spec> = Spec extends { form: 'number' }
  ? number
  : Spec extends { form: 'boolean' }
    ? boolean
    : Spec extends { form: 'choice'; choices: readonly (infer Choice)[] }
      ? Choice
      : Spec extends { form: 'text' }
        ? string
        : Spec extends { form: 'list' }
          ? readonly string[]
          : unknown

/** Names of options that may be absent: texts that are not required and have no default. */
type Absent<Options> = {
  [Name in keyof Options]: Options[Name] extends { form: 'text' }
    ? Options[Name] extends { default: string } | { isRequired: true }
      ? never
      : Name
    : never
}[keyof Options]

/** The type of `options` by their table. */
export type OptionValues<Options> = {
  readonly [Name in Exclude<keyof Options, Absent<Options>>]: OptionValue<Options[Name]>
} & { readonly [Name in Absent<Options>]?: string }

/** The type of `credentials` by their table. */
export type CredentialValues<Credentials> = { readonly [Name in keyof Credentials]?: string }
