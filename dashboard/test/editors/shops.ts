import type { asOwner } from './editor.ts'

/** An owner of a configuration. */
export const OWNER = 'git:infra'

/** Monitors with a name each, an interval of 60 s, and what proposes another. */
export function createShops(api: ReturnType<typeof asOwner>) {
  let made = 0
  const specOf = (name: string, interval: number) => ({
    name,
    url: `https://${name.replace(' ', '-').toLowerCase()}.example.com/`,
    interval,
  })
  return {
    make: async (): Promise<{ id: string; name: string }> => {
      made += 1
      const name = `Shop ${made}`
      return { id: (await api.make('/v1/monitors', specOf(name, 60))).id, name }
    },
    /** The id of the change set. */
    propose: async (name: string, interval: number): Promise<string> => {
      const source = { file: 'monitors/shop.yaml', line: 12 }
      const resource = { kind: 'monitor', ref: name.replace(' ', '-'), spec: specOf(name, interval), source }
      return (await api.make('/v1/change-sets', { owner: OWNER, resources: [resource] })).id
    },
    intervalOf: async (id: string): Promise<number> => (await api.read(`/v1/monitors/${id}`)).interval,
  }
}
