import { type Clock, random } from '../../process/clock.ts'
import { type ContainerEvent, parseEvent } from './api.ts'
import { type EngineClient, EngineRefusal } from './engine-client.ts'

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000
/**
 * The engine leaves out the rest, above all the commands of health checks. Podman has other names for some; both take names that they
 * do not know.
 */
const ACTIONS = 'create start restart init pause unpause rename update kill stop die died oom health_status destroy remove'.split(
  ' ',
)

interface StreamDeps {
  clock: Clock
  client: Pick<EngineClient, 'stream'>
  /** Called each time the stream has begun: what happened before may be unknown. */
  onConnect: () => void
  onEvent: (event: ContainerEvent) => void
}

/** Follows the events of an engine. After an interruption it continues with the event after the last one. */
export class EventStream {
  readonly #deps: StreamDeps
  #isConnected = false
  #refusal: Error | undefined
  #since: bigint | undefined
  #retryMs = FIRST_RETRY_MS
  #close: () => void = () => undefined

  constructor(deps: StreamDeps) {
    this.#deps = deps
  }

  /** While it is, everything that happens is known. */
  get isConnected(): boolean {
    return this.#isConnected
  }

  /** The engine, or a proxy before it, does not allow to read events. */
  get refusal(): Error | undefined {
    return this.#refusal
  }

  open(): void {
    const { clock, client, onConnect, onEvent } = this.#deps
    const filters = encodeURIComponent(JSON.stringify({ type: ['container'], event: ACTIONS }))
    const since = this.#since === undefined ? '' : `&since=${toSeconds(this.#since + 1n)}`
    this.#close = client.stream(`/events?filters=${filters}${since}`, {
      open: () => {
        this.#isConnected = true
        this.#refusal = undefined
        this.#since ??= BigInt(Math.round(clock.now())) * 1_000_000n
        onConnect()
      },
      line: (line) => {
        const event = parseEvent(line)
        if (!event) return
        this.#retryMs = FIRST_RETRY_MS
        this.#since = event.timeNano
        onEvent(event)
      },
      end: (error) => {
        this.#isConnected = false
        this.#refusal = error instanceof EngineRefusal ? error : undefined
        const cancel = clock.after(this.#retryMs * (0.5 + random() / 2), () => this.open())
        this.#close = cancel
        this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2)
      },
    })
  }

  close(): void {
    this.#close()
    this.#isConnected = false
  }
}

/** Seconds with nine decimals. */
function toSeconds(nanoseconds: bigint): string {
  const digits = nanoseconds.toString().padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`
}
