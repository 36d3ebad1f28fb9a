import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { newId } from '../../ids.ts'
import { createResourceStore, removeDeletedBefore } from '../index.ts'

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
  await store.remove(db, other.number, id, later)
  expect(await store.find(db, own.number, id)).toEqual(made)
  expect(await store.lock(db, own.number, id)).toEqual(made)

  await store.update(db, own.number, id, { name: 'Day' }, later)
  expect(await store.list(db, own.number, page)).toMatchObject({ total: 1, rows: [{ ...made, name: 'Day', updated_at: later }] })
  await store.remove(db, own.number, id, later)
  expect(await store.find(db, own.number, id)).toBeUndefined()
})

it('leaves a removed resource out of everything until it is restored, and removes it for good once that is over', async () => {
  const { db } = backend.pool
  const [id, at, deletedAt, restoredAt] = [newId(), new Date(1_000), new Date(2_000), new Date(3_000)]
  const page = { page: 1, limit: 10 }
  const { deleted } = store
  await store.insert(db, own.number, { ...POLICY, id }, at)
  const made = await store.find(db, own.number, id)
  await store.remove(db, own.number, id, deletedAt, { rules: [] })
  await store.remove(db, own.number, id, restoredAt)
  expect(await store.lock(db, own.number, id)).toBeUndefined()
  expect((await store.list(db, own.number, page)).rows.filter((row) => row.id === id)).toEqual([])
  await store.update(db, own.number, id, { name: 'Day' }, restoredAt)
  const rowsSince = async (organization: number, ms: number) =>
    (await deleted.list(db, organization, new Date(ms), page)).rows.filter((row) => row.id === id)
  expect(await rowsSince(own.number, 1_999)).toMatchObject([{ id, name: 'Night', deleted_at: deletedAt }])
  expect([await rowsSince(own.number, 2_000), await rowsSince(other.number, 0)]).toEqual([[], []])
  for (const [organization, ms] of [
    [own.number, 2_000],
    [other.number, 0],
  ] as const)
    expect(await deleted.lock(db, organization, id, new Date(ms))).toBeUndefined()
  expect(await deleted.lock(db, own.number, id, new Date(0))).toEqual({ ...made, deleted_references: { rules: [] } })
  await removeDeletedBefore(db, deletedAt)
  await deleted.unmark(db, own.number, id, restoredAt)
  expect(await store.find(db, own.number, id)).toEqual({ ...made, updated_at: restoredAt })

  await store.remove(db, own.number, id, deletedAt)
  await removeDeletedBefore(db, new Date(2_001))
  expect(await db.selectFrom('escalation_policy').select('id').where('id', '=', id).execute()).toEqual([])
})
