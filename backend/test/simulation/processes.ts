import { type Instance, type InstanceOptions, startInstance, type Work } from './instance.ts'
import type { Requests } from './requests.ts'
import type { Process } from './world.ts'

/** The instances that live, and the work that each does at the moment. */
export interface Processes {
  readonly all: readonly Instance[]
  /** Those that are not paused. */
  readonly awake: readonly Instance[]
  /** Whether one of them starts, or does some work. */
  readonly isBusy: boolean
  start(): void
  /** Ends one between two of its statements; another starts in its place. */
  kill(instance: Instance): void
  /** Begins some of its background work, unless it does it already. */
  begin(instance: Instance, name: Work): void
}

export function createProcesses(options: InstanceOptions, requests: Requests): Processes {
  const { world, gateway } = options
  let instances: Instance[] = []
  let [born, starting] = [0, 0]
  const working = new Map<Instance, Set<string>>()

  const end = (owner: Process): void => {
    world.kill(owner)
    gateway.drop(owner)
  }

  function start(): void {
    born += 1
    starting += 1
    const owner: Process = { name: `p${born}`, isDead: false, isPaused: false, aheadMs: 0 }
    world.note(`${owner.name} starts`)
    void arrive(owner)
  }

  async function arrive(owner: Process): Promise<void> {
    try {
      const instance = await startInstance(owner, options)
      instances.push(instance)
      working.set(instance, new Set())
      starting -= 1
    } catch {
      starting -= 1
      world.note(`${owner.name} does not start`)
      end(owner)
      start()
    }
  }

  async function work(instance: Instance, name: Work): Promise<void> {
    world.note(`${instance.owner.name} begins ${name}`)
    try {
      await instance.run(() => instance.work[name]())
      world.note(`${instance.owner.name} ends ${name}`)
    } catch (error) {
      world.note(`${instance.owner.name} ends ${name}: ${(error as Error).message.slice(0, 80)}`)
    }
    working.get(instance)?.delete(name)
  }

  return {
    get all() {
      return instances
    },
    get awake() {
      return instances.filter(({ owner }) => !owner.isPaused)
    },
    get isBusy() {
      return starting > 0 || instances.some((one) => (working.get(one)?.size ?? 0) > 0)
    },
    start,
    kill: (instance) => {
      world.note(`${instance.owner.name} is killed`)
      instances = instances.filter((one) => one !== instance)
      end(instance.owner)
      requests.evict(instance)
      start()
    },
    begin: (instance, name) => {
      const own = working.get(instance) as Set<string>
      if (own.has(name)) return
      own.add(name)
      void work(instance, name)
    },
  }
}
