import { describe, expect, test } from 'vitest'
import type { Graph } from './graph.ts'
import { layersOf, NODE, pictureOf } from './layers.ts'

const graph = (statuses: Record<string, string>, ...edges: [string, string][]): Graph => ({
  nodes: new Map(Object.entries(statuses).map(([key, status]) => [key, { key, label: key, status }])),
  edges,
  isCut: false,
})

describe('the map of a composite', () => {
  const shop = graph(
    { shop: 'down', db: 'down', cart: 'down', search: 'up', slow: 'degraded' },
    ['shop', 'search'],
    ['shop', 'cart'],
    ['shop', 'slow'],
    ['shop', 'db'],
    ['cart', 'db'],
    ['search', 'db'],
  )

  test('has each node right of all that rest on it', () => {
    expect(Object.fromEntries(layersOf(shop, 'shop'))).toEqual({ shop: 0, search: 1, cart: 1, slow: 1, db: 2 })
    const { edges } = pictureOf(shop, 'shop')
    expect(edges).toHaveLength(6)
    expect(edges.map(({ to }) => to.status)).toEqual(['up', 'degraded', 'down', 'down', 'down', 'down'])
    expect(edges.filter(({ from, to }) => from.x + NODE.width >= to.x)).toEqual([])
  })

  test('has the worst of a layer first, and room for all', () => {
    const { nodes, width, height } = pictureOf(shop, 'shop')
    const second = nodes.filter(({ x }) => x > 0 && x + NODE.width < width).toSorted((one, other) => one.y - other.y)
    expect(second.map(({ key }) => key)).toEqual(['cart', 'slow', 'search'])
    expect([height, width].every((size) => nodes.every(({ x, y }) => Math.max(x, y) < Math.max(size, width)))).toBe(true)
    expect(Math.max(...nodes.map(({ y }) => y + NODE.height))).toBe(height)
  })

  test('ends where a cycle was closed while it was read', () => {
    const ring = graph({ a: 'up', b: 'up', c: 'up' }, ['a', 'b'], ['b', 'c'], ['c', 'b'])
    expect(layersOf(ring, 'a').size).toBe(3)
    expect(pictureOf(ring, 'a').nodes).toHaveLength(3)
  })
})
