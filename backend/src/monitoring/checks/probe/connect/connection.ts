import { connect, type Socket } from 'node:net'

/**
 * A TCP connection with one owner at a time, who sets the callbacks. Every event has a listener from the start, so that none can
 * end the process.
 */
export interface Connection {
  readonly socket: Socket
  /** Of the target; its name where a proxy has resolved it. */
  address: string
  /** The other end of the socket is a proxy. */
  isProxied: boolean
  /**
   * The TLS layer over the socket, which must be destroyed with it: its native part would otherwise wait for the garbage
   * collector.
   */
  layer: { destroy(): void } | undefined
  /** Bytes from the target. They are overwritten when the call returns: copy what is needed. */
  onBytes: (bytes: Buffer) => void
  /** The target sends no more bytes. */
  onEnd: () => void
  onError: (error: Error) => void
  onConnect: () => void
}

const nothing = () => {}

/**
 * One read buffer for all connections of this thread, because bytes are consumed at once. Node's own buffers cost 64 KiB of
 * garbage per connection.
 */
const readBuffer = Buffer.allocUnsafeSlow(65_536)

/** `plain`: bytes arrive through `onBytes`. Otherwise nothing is read, and a TLS layer takes the socket. */
export function openConnection(address: string, port: number, plain: boolean, localAddress?: string): Connection {
  const onread = {
    buffer: readBuffer,
    callback: (count: number, buffer: Uint8Array) => {
      // The same buffer as above; Node's types do not express that.
      connection.onBytes((buffer as Buffer).subarray(0, count))
      return true
    },
  }
  const socket = connect({
    host: address,
    port,
    noDelay: true,
    ...(plain && { onread }),
    ...(localAddress !== undefined && { localAddress }),
  })
  const connection: Connection = {
    socket,
    address,
    isProxied: false,
    layer: undefined,
    onBytes: nothing,
    onEnd: nothing,
    onError: nothing,
    onConnect: nothing,
  }
  socket.on('connect', () => connection.onConnect())
  socket.on('end', () => connection.onEnd())
  socket.on('error', (error) => connection.onError(error))
  return connection
}

/** Closes the connection; no callback is called any more. */
export function closeConnection(connection: Connection): void {
  connection.onBytes = nothing
  connection.onEnd = nothing
  connection.onError = nothing
  connection.onConnect = nothing
  connection.layer?.destroy()
  connection.socket.destroy()
}
