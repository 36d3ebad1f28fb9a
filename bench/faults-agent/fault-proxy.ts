import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What the next connections meet on their way. */
export type Fault =
  | { kind: 'none' }
  /** Nobody listens: the connection is reset at once. */
  | { kind: 'refuse' }
  /** Bytes come late by so many ms, both ways. */
  | { kind: 'delay'; ms: number }
  /** The connection stands, and after so many bytes to the backend (or from it) no more pass, either way. */
  | { kind: 'stall'; afterBytes: number; direction: 'up' | 'down' }
  /** Cut in the middle. */
  | { kind: 'cut'; afterBytes: number; direction: 'up' | 'down' }
  /** Every byte goes to the backend twice, at once, over two connections; the answers to the second are dropped. */
  | { kind: 'duplicate' }

/** TCP between an agent and a backend, with the faults of real networks. Bytes are passed on as they are. */
export class FaultProxy {
  fault: Fault = { kind: 'none' }
  /** The backend's port. */
  target: number
  connections = 0
  /** Called when bytes have been passed on. */
  onPassed: ((direction: 'up' | 'down') => void) | undefined
  readonly #sockets = new Set<Socket>()
  /** Half-open connections: they stand, and nothing passes any more. */
  readonly #frozen = new WeakSet<Socket>()
  readonly #server = createServer((client) => this.#take(client))

  constructor(target: number) {
    this.target = target
  }

  async listen(address = '127.0.0.1', port = 0): Promise<number> {
    this.#server.listen(port, address)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** When bytes have been passed on in this direction. */
  async passed(direction: 'up' | 'down'): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.onPassed = (passed) => passed === direction && resolve()
    await promise
    this.onPassed = undefined
  }

  /** Ends what is open, as a network that goes away; what comes next meets `fault`. */
  breakAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** What is open now stays open and passes nothing, for ever; what comes next meets `fault`. */
  freezeAll(): void {
    for (const socket of this.#sockets) this.#frozen.add(socket)
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    this.breakAll()
    await promise
  }

  #take(client: Socket): void {
    this.connections++
    this.#watch(client)
    if (this.fault.kind === 'refuse') return void client.resetAndDestroy()
    const backend = this.#connect()
    this.#pass(client, backend, 'up')
    this.#pass(backend, client, 'down')
    if (this.fault.kind === 'duplicate') this.#shadow(client)
  }

  #connect(): Socket {
    const backend = connect(this.target, '127.0.0.1')
    this.#watch(backend)
    return backend
  }

  #shadow(client: Socket): void {
    const shadow = this.#connect()
    client.on('data', (bytes: Buffer) => void shadow.write(bytes))
    client.on('close', () => shadow.destroy())
    shadow.resume()
  }

  #watch(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
  }

  /** The fault of the moment, not of the connection's beginning: a kept connection can go bad. */
  #pass(from: Socket, to: Socket, direction: 'up' | 'down'): void {
    let passed = 0
    from.on('data', (bytes: Buffer) => {
      const { fault } = this
      if (this.#frozen.has(from)) return
      if (fault.kind === 'delay') return void setTimeout(() => to.write(bytes), fault.ms)
      const isCut = (fault.kind === 'cut' || fault.kind === 'stall') && fault.direction === direction
      const left = isCut ? Math.max(0, fault.afterBytes - passed) : bytes.length
      passed += bytes.length
      if (left >= bytes.length) {
        to.write(bytes)
        return this.onPassed?.(direction)
      }
      to.write(bytes.subarray(0, left))
      if (fault.kind === 'cut') {
        from.resetAndDestroy()
        to.resetAndDestroy()
      }
    })
    from.on('close', () => to.destroy())
  }
}
