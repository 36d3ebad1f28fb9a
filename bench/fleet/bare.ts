/**
 * What a push costs at least: a bare Node server that stores each body by one prepared insert of its own, and answers. Prints
 * `ready PORT`; takes the URL of the database, whose table `bare_push` it makes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.argv[2], max: 4, idleTimeoutMillis: 0 })
await pool.query(
  'create table if not exists bare_push (received_at bigint, digest bigserial, data bytea, primary key (received_at, digest))',
)

const ANSWER = '{"accepted":6,"duplicates":0}'

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = 'insert into bare_push (received_at, data) values ($1, $2)'
  await pool.query({ name: 'push', text, values: [Date.now(), await buffer(request)] })
  response.writeHead(202, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER)
}

const server = createServer((request, response) => void take(request, response))
server.listen(0, '127.0.0.1', () => console.log(`ready ${(server.address() as AddressInfo).port}`))
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
