import { CHECK_KINDS } from './index.ts'

/** The values of a monitor's `type`. */
export const checkTypes = (): string[] => CHECK_KINDS.map(({ type }) => type)

/** Protocols of the URLs of a type, as `https:`; empty for an unknown type. */
export const protocolsOf = (type: string): readonly string[] => CHECK_KINDS.find((kind) => kind.type === type)?.protocols ?? []
