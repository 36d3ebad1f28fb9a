import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { newId } from '../../ids.ts'
import { createResourceStore } from '../index.ts'

const COLUMNS = ['id', 'name', 'time_zone', 'steps', 'repeats', 'reopen_seconds', 'tags', 'created_at', 'updated_at'] as const
const store = createResourceStore('escalation_policy', COLUMNS, ['steps'])
const POLICY = { name: 'Night', time_zone: 'UTC', steps: [], repeats: 0, reopen_seconds: null, tags: ['prod'] }

let backend: TestBackend
let own: TestOrganization
let other: TestOrganization
beforeAll(async () => {
  backend = await startTestBackend()
  ;[own, other] = [await backend.organization(), await backend.organization()]
})
afterAll(() => backend.close())

it('finds, locks, lists, changes and removes a resource in its own organization alone', async () => {
  const { db } = backend.pool
  const [id, at, later] = [newId(), new Date(1_000), new Date(2_000)]
  await store.insert(db, own.number, { ...POLICY, id }, at)
  const made = { ...POLICY, id, created_at: at, updated_at: at }
  const page = { page: 1, limit: 10 }
  expect(await store.find(db, other.number, id)).toBeUndefined()
  expect(await store.lock(db, other.number, id)).toBeUndefined()
  expect(await store.list(db, other.number, page)).toEqual({ total: 0, rows: [] })
  await store.update(db, other.number, id, { name: 'Day' }, later)
  await store.remove(db, other.number, id)
  expect(await store.find(db, own.number, id)).toEqual(made)
  expect(await store.lock(db, own.number, id)).toEqual(made)

  await store.update(db, own.number, id, { name: 'Day' }, later)
  expect(await store.list(db, own.number, page)).toMatchObject({ total: 1, rows: [{ ...made, name: 'Day', updated_at: later }] })
  await store.remove(db, own.number, id)
  expect(await store.find(db, own.number, id)).toBeUndefined()
})
