import { expect, it } from 'vitest'
import { undoLast } from './undo-last.ts'

const ID = 'mon_1'

/** What is done for a newest change of this kind, by somebody on the page at this path. */
async function undoneBy({ by = 'me', losses = [] as string[], path = '/monitors', action = 'update' }): Promise<string[]> {
  const done: string[] = []
  const record = (what: string, answer: unknown) => {
    done.push(what)
    return answer
  }
  const changeSets = {
    list: () => ({ change_sets: [{ id: 'chg_last', applied_by: { id: by } }] }),
    read: (id: string) => ({ id, undo_warnings: losses }),
    undo: (id: string) => record(`undo ${id}`, { id: 'chg_undo', steps: [{ action }] }),
  }
  const navigate = ({ params, search }: { params: { changeId: string }; search: object }) =>
    record(`open ${[params.changeId, ...Object.keys(search)].join('?')}`, undefined)
  const cache = { set: () => undefined, invalidate: () => Promise.resolve() }
  await undoLast({ client: { changeSets } as never, me: { id: 'me' } as never, cache, navigate: navigate as never, path }, ID)
  return done
}

it.each([
  ['takes back a change of the viewer', {}, ['undo chg_last']],
  ['takes back no change of somebody else', { by: 'other' }, []],
  ['asks first where something would not come back', { losses: ['its password'] }, ['open chg_last?undo']],
  [
    'leads away from the page of what it deletes',
    { action: 'delete', path: `/monitors/${ID}` },
    ['undo chg_last', 'open chg_undo'],
  ],
  ['stays where what it deletes has no page open', { action: 'delete' }, ['undo chg_last']],
  ['stays on the page of what it changes', { path: `/monitors/${ID}` }, ['undo chg_last']],
])('the Undo of a toast %s', async (_, change, done) => {
  expect(await undoneBy(change)).toEqual(done)
})
