/** A small edit of the product's source, as a mistake would be, that the simulation must find. */
export interface SimulatedFault {
  name: string
  file: string
  /** Occurs exactly once in the file. */
  find: string
  replace: string
}

export const SIMULATED_FAULTS: readonly SimulatedFault[] = [
  {
    name: 'the lease of a job under way is not extended',
    file: 'backend/src/platform/queue/queue.ts',
    find: 'const extended = held.length === 0 ? [] :',
    replace: 'const extended: string[] = held.length >= 0 ? [] :',
  },
  {
    name: 'the lease of a task is not extended',
    file: 'backend/src/platform/db/lease.ts',
    find: 'await runExtended(clock, holdMs / RUNS_HELD, take, task)',
    replace: 'await task()',
  },
  {
    name: 'due incidents are not locked',
    file: 'backend/src/alerting/incidents/escalation-store.ts',
    find: 'limit ${limit} for update of o skip locked`.execute(db)',
    replace: 'limit ${limit}`.execute(db)',
  },
  {
    name: 'a push is not looked for before it is stored again',
    file: 'backend/src/hosts/metrics/ingest/store.ts',
    find: 'return mayRepeat ? insertFresh(pool, rows, receipt) : insertNew(pool, rows, receipt)',
    replace:
      'return insertNew(pool, rows.map((row) => ({ ...row, piece: { ...row.piece, digest: row.piece.digest.slice(0, 7) + String.fromCharCode(receipt.atMs % 256) } })), receipt)',
  },
  {
    name: 'a transaction whose commit was lost is done again',
    file: 'backend/src/platform/db/transaction.ts',
    find: 'const isLost = !attempt.committing && ',
    replace: 'const isLost = ',
  },
  {
    name: 'an acknowledgement does not end the escalation',
    file: 'backend/src/alerting/incidents/acknowledge.ts',
    find: '    await pauseEscalation(db, organization, memberId, at, snoozeSeconds)\n',
    replace: '    void pauseEscalation\n',
  },
  {
    name: 'each try of a notification has an id of its own',
    file: 'backend/src/notifying/notifications/deliveries/deliver.ts',
    find: "const base = { id: encodeId('notification', delivery.id), type",
    replace: "const base = { id: `${encodeId('notification', delivery.id)}${delivery.attempts}`, type",
  },
  {
    name: 'a replaced token still stores samples',
    file: 'backend/src/hosts/metrics/ingest/store.ts',
    find: '`(server.token_hash = input.credential\n',
    replace: '`(server.token_hash is not null\n',
  },
  {
    name: 'a late check does not mark its hour',
    file: 'backend/src/monitoring/checks/results/store.ts',
    find: '* HOUR_MS > 240_000',
    replace: '* HOUR_MS > 240_000_000',
  },
  {
    name: 'signals are deleted before their evaluation is stored',
    file: 'backend/src/alerting/alerts/evaluation/status-changes.ts',
    find: 'inTransaction(db, (transaction) =>\n      key === null',
    replace: '(async (work: (one: Db) => Promise<void>) => work(db))((transaction) =>\n      key === null',
  },
  {
    name: 'a step is taken again',
    file: 'backend/src/alerting/incidents/take-step.ts',
    find: 'step: due.number + 1, dueAt:',
    replace: 'step: due.number, dueAt:',
  },
  {
    name: 'the later step of an incident does not wait for the earlier one',
    file: 'backend/src/platform/queue/queue-store.ts',
    find: 'const isFirstOfKey = (table: string) => sql`not exists (',
    replace: 'const isFirstOfKey = (table: string) => sql`true or not exists (',
  },
  {
    name: 'a notification is deleted before it was accepted',
    file: 'backend/src/notifying/notifications/deliveries/sender.ts',
    find: '  const content = await readContent(db, delivery)\n',
    replace: '  const content = await readContent(db, delivery)\n  await completeJob(db, DELIVERIES, delivery)\n',
  },
  {
    name: 'servers are lost where a statement fails before the end of their evaluation',
    file: 'backend/src/alerting/alerts/evaluation/servers.ts',
    find: '({ tracked, queue }: Fleet, some: readonly TrackedServer[]): void {\n  for (const one of some) if (',
    replace:
      '({ tracked, queue, deps }: Fleet, some: readonly TrackedServer[]): void {\n  for (const one of some) if (one.dueMs > deps.clock.now() && ',
  },
]
