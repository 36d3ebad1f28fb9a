import { createLife, type Life, type RecordedSeries } from './recording.ts'
import { bodyOf, chunksOf, labelsOf, type SampleOf } from './requests.ts'

/** Hosts with an exporter each, as one Prometheus scrapes them. */
export interface Fleet {
  series: number
  /** The samples of so many scrapes from this instant on, in requests of so many samples. */
  scrape(atMs: number, scrapes: number, perRequest: number): Buffer[]
}

export const STEP_MS = 15_000

/** `most`: the series of all together; `kinds`: of how many recorded series each host has some. */
export function createFleet(job: string, recorded: readonly RecordedSeries[], most: number): Fleet {
  const hosts = Math.ceil(most / recorded.length)
  const all: { life: Life; labels: Buffer[] }[] = Array.from({ length: hosts }, (_, host) => {
    const own = recorded.slice(0, Math.min(recorded.length, most - host * recorded.length))
    const labels = own.map((one) => labelsOf({ __name__: one.name, ...one.labels, job, instance: `${job}-${host}:9100` }))
    return { life: createLife(own, host), labels }
  })
  const one = (atMs: number): SampleOf[] =>
    all.flatMap(({ life, labels }) => {
      const values = life.next()
      return labels.map((own, index) => ({ labels: own, value: values[index] as number, atMs }))
    })
  return {
    series: most,
    scrape: (atMs, scrapes, perRequest) =>
      chunksOf(Array.from({ length: scrapes }, (_, index) => one(atMs + index * STEP_MS)).flat(), perRequest).map(bodyOf),
  }
}
