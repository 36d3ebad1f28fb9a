/** Makes those of the named builds that are not current, with the Node at `node`. Throws BuildError. */
export function ensureBuilt(root: string, node: string, names: readonly string[], say: (line: string) => void): Promise<void>

/** The build failed; the message ends with the output of the builder. */
export class BuildError extends Error {}
