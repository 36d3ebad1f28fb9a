import { currentProcess, type World } from './world.ts'

const real = { setTimeout, clearTimeout, now: Date.now.bind(Date), measure: performance.now.bind(performance) }

/** A timer as Node gives it. */
class WorldTimer {
  readonly cancel: () => void
  constructor(cancel: () => void) {
    this.cancel = cancel
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return true
  }
}

/** Of what runs as a process of the world, time and timers are those of the world, also within libraries; of all else they are real. */
export function enterWorld(world: World): () => void {
  const startMs = world.nowMs
  const own = <Rest extends unknown[]>(call: (...rest: Rest) => void, ms = 0, ...rest: Rest) => {
    if (!currentProcess()) return real.setTimeout(call, ms, ...rest)
    return new WorldTimer(world.after(ms, () => call(...rest)))
  }
  const end = (timer: unknown) => (timer instanceof WorldTimer ? timer.cancel() : real.clearTimeout(timer as NodeJS.Timeout))
  globalThis.setTimeout = own as unknown as typeof setTimeout
  globalThis.clearTimeout = end
  Date.now = () => (currentProcess() ? world.nowMs : real.now())
  performance.now = () => (currentProcess() ? world.nowMs - startMs : real.measure())
  return () => {
    globalThis.setTimeout = real.setTimeout
    globalThis.clearTimeout = real.clearTimeout
    Date.now = real.now
    performance.now = real.measure
  }
}
