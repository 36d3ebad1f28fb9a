import type { Settings } from '../../src/settings/index.ts'
import type { createGateway } from './gateway.ts'
import { type Instance, startInstance } from './instance.ts'
import type { Requests } from './requests.ts'
import type { Process, World } from './world.ts'

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
  begin(instance: Instance, name: string): void
}

export function createProcesses(
  world: World,
  gateway: ReturnType<typeof createGateway>,
  settings: Settings,
  requests: Requests,
): Processes {
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
    startInstance(owner, { world, gateway, settings }).then(
      (instance) => {
        starting -= 1
        instances.push(instance)
        working.set(instance, new Set())
      },
      () => {
        starting -= 1
        world.note(`${owner.name} does not start`)
        end(owner)
        start()
      },
    )
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
      world.note(`${instance.owner.name} begins ${name}`)
      const done = (outcome: string) => {
        own.delete(name)
        world.note(`${instance.owner.name} ends ${name}: ${outcome}`)
      }
      instance
        .run(() => instance.work[name]?.() ?? Promise.resolve())
        .then(
          () => done('done'),
          (error: Error) => done(error.message.slice(0, 80)),
        )
    },
  }
}
