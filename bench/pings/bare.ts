/**
 * What a ping costs at least: a bare Node server that stores the bodies that wait by one prepared insert, as the backend does, and
 * answers after the commit. Prints `ready PORT`; takes the URL of the database, whose table `bare_push` it makes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import pg from 'pg'
import { binaryArray } from '../../backend/src/platform/db/index.ts'

const pool = new pg.Pool({ connectionString: process.argv[2], max: 1, idleTimeoutMillis: 0 })
await pool.query(
  'create table if not exists bare_push (received_at bigint, digest bigserial, data bytea, primary key (received_at, digest))',
)

const ANSWER = '{"accepted":6,"duplicates":0}'

interface Push {
  data: Buffer
  response: ServerResponse
}

let waiting: Push[] = []
let isStoring = false

async function store(): Promise<void> {
  if (isStoring) return
  isStoring = true
  while (waiting.length > 0) {
    const taken = waiting
    waiting = []
    const values = [Date.now(), binaryArray.bytea(taken.map(({ data }) => data))]
    await pool.query({ name: 'push', text: 'insert into bare_push (received_at, data) select $1, unnest($2::bytea[])', values })
    for (const { response } of taken)
      response.writeHead(202, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER)
  }
  isStoring = false
}

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  waiting.push({ data: await buffer(request), response })
  await store()
}

const server = createServer((request, response) => void take(request, response))
server.listen(0, '127.0.0.1', () => console.log(`ready ${(server.address() as AddressInfo).port}`))
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
