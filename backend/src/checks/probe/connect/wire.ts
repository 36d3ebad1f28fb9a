import { connect, type Socket } from 'node:net'

/**
 * A TCP connection under one owner at a time, who sets what is called; every event has a listener from the first moment on, so
 * that none can end the process.
 */
export interface Wire {
  readonly socket: Socket
  readonly address: string
  /** What speaks over the socket (TLS) and has to end with it: its native part would else wait for the garbage collector. */
  layer: { destroy(): void } | undefined
  /** Bytes of the target. They are overwritten when the call returns: copy what is to be kept. */
  onBytes: (bytes: Buffer) => void
  /** The target will send no more. */
  onEnd: () => void
  onError: (error: Error) => void
  onConnect: () => void
}

const nothing = () => {}

/**
 * One buffer for all connections of this thread: what a connection reads is handed over at once. Reading into buffers of the
 * runtime costs 64 KiB of garbage per connection.
 */
const readBuffer = Buffer.allocUnsafeSlow(65_536)

/** `plain`: its bytes come by `onBytes`. Else nothing is read, and the socket is for a TLS layer to take. */
export function openWire(address: string, port: number, plain: boolean): Wire {
  const onread = {
    buffer: readBuffer,
    callback: (count: number, buffer: Uint8Array) => {
      // The very buffer that was given, as the library's types do not say.
      wire.onBytes((buffer as Buffer).subarray(0, count))
      return true
    },
  }
  const socket = connect({ host: address, port, noDelay: true, ...(plain && { onread }) })
  const wire: Wire = { socket, address, layer: undefined, onBytes: nothing, onEnd: nothing, onError: nothing, onConnect: nothing }
  socket.on('connect', () => wire.onConnect())
  socket.on('end', () => wire.onEnd())
  socket.on('error', (error) => wire.onError(error))
  return wire
}

/** Closes the connection and lets nobody hear of it. */
export function closeWire(wire: Wire): void {
  wire.onBytes = nothing
  wire.onEnd = nothing
  wire.onError = nothing
  wire.onConnect = nothing
  wire.layer?.destroy()
  wire.socket.destroy()
}
