import { CHECK_KINDS } from './index.ts'

/** The kinds that a monitor may have, as its `type` names them. */
export const checkTypes = (): string[] => CHECK_KINDS.map(({ type }) => type)

/** What the URL of such a check may begin with, as `https:`; nothing for a type that is unknown. */
export const protocolsOf = (type: string): readonly string[] => CHECK_KINDS.find((kind) => kind.type === type)?.protocols ?? []
