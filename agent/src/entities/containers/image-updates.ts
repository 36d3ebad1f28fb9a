import { DAY_MS } from '@vedette/shared/durations'
import type { Clock } from '../../process/clock.ts'
import { inside, listIn, textIn } from './api.ts'
import type { EngineClient } from './engine-client.ts'

const CHECK_EVERY_MS = DAY_MS
/** Of one query: the engine has to reach the registry. */
const REGISTRY_LIMIT_MS = 15_000
/** In a day: registries limit the number of queries of an address. */
const MAX_IMAGES = 50

/** The name by which a container was created, and the id of what it runs. */
interface Image {
  image: string
  imageId: string
}

/** What the registry has, of an image that a container runs. */
export interface ImageUpdate {
  isNewer: boolean
  digest: string
}

/** Compares images with those of the same name in their registry, once a day, by queries that the engine makes. */
export class ImageUpdates {
  readonly #clock: Clock
  readonly #client: EngineClient
  #updates = new Map<string, ImageUpdate>()
  #checkedMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, client: EngineClient) {
    this.#clock = clock
    this.#client = client
  }

  /** Undefined until it was compared, for an image that was built here, and where registry or engine refuse. */
  of({ image, imageId }: Image): ImageUpdate | undefined {
    return this.#updates.get(`${image} ${imageId}`)
  }

  /** Compares in the background if it is due. */
  checkIfDue(containers: readonly Image[]): void {
    const nowMs = this.#clock.monotonicMs()
    const images = new Map(containers.map((image) => [`${image.image} ${image.imageId}`, image]))
    if (nowMs - this.#checkedMs < CHECK_EVERY_MS || images.size === 0) return
    this.#checkedMs = nowMs
    void this.#check([...images].slice(0, MAX_IMAGES))
  }

  async #check(images: readonly [string, Image][]): Promise<void> {
    const updates = new Map<string, ImageUpdate>()
    // One after the other: nothing waits for it.
    for (const [key, image] of images) {
      const update = await this.#compare(image).catch(() => undefined)
      if (update) updates.set(key, update)
    }
    this.#updates = updates
  }

  async #compare({ image, imageId }: Image): Promise<ImageUpdate | undefined> {
    // Without a name, or fixed to one digest.
    if (!/^[\w./:-]{1,255}$/.test(image) || image.startsWith('sha256:') || !/^sha256:[0-9a-f]{64}$/.test(imageId))
      return undefined
    const { json: local } = await this.#client.getJson(`/images/${imageId}/json`)
    const digests = listIn(local, 'RepoDigests').map((name) => textIn(name).split('@')[1])
    if (digests.length === 0) return undefined
    const { json: remote } = await this.#client.getJson(`/distribution/${image}/json`, { timeoutMs: REGISTRY_LIMIT_MS })
    const digest = textIn(inside(remote, 'Descriptor'), 'digest')
    return digest === '' ? undefined : { digest, isNewer: !digests.includes(digest) }
  }
}
