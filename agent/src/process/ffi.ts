import type FFI from 'node:ffi'

/** Calls of C libraries. Throws where this Node has none. Its warning that it is experimental would say nothing to who runs the agent. */
export function loadFfi(): typeof FFI {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return process.getBuiltinModule('node:ffi')
  } finally {
    process.emitWarning = emitWarning
  }
}
