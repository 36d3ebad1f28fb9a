import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { bsonOf } from '../../backend/src/monitoring/checks/probe/kinds/mongodb/test/mongo-double.ts'
import { createSshDouble } from '../../backend/src/monitoring/checks/probe/kinds/ssh/test/ssh-double.ts'

/** Targets of kinds that are measured alone: they answer everybody at once, and count nobody. By the name of the kind. */

const quietly = (socket: Socket): Socket => socket.on('error', () => undefined)

function serveFtp(socket: Socket): void {
  quietly(socket).write('220 Files are here.\r\n')
  socket.on('data', () => socket.end('221 Goodbye.\r\n'))
}

/** One document answers hello, ping and buildInfo. */
const ANSWER = Buffer.concat([Buffer.alloc(5), bsonOf({ isWritablePrimary: true, maxWireVersion: 21, version: '7.0.14', ok: 1 })])

/** Several commands come in one segment. */
function serveMongo(socket: Socket): void {
  quietly(socket).on('data', (requests: Buffer) => {
    const answers: Buffer[] = []
    for (let at = 0; at < requests.length; at += requests.readInt32LE(at)) {
      const head = Buffer.alloc(16)
      head.writeInt32LE(16 + ANSWER.length)
      head.writeInt32LE(requests.readInt32LE(at + 4), 8)
      head.writeInt32LE(2_013, 12)
      answers.push(head, ANSWER)
    }
    socket.write(Buffer.concat(answers))
  })
}

const SUBSCRIBE = 0x82
const ACCEPTED = Buffer.from('200200009003000100', 'hex')

/** SUBSCRIBE follows CONNECT in one segment, and ends with its topic and the quality of service. */
function serveMqtt(socket: Socket): void {
  quietly(socket).on('data', (request: Buffer) => {
    const at = 2 + (request[1] as number)
    if (request[at] !== SUBSCRIBE) return
    const topic = request.subarray(at + 4, -1)
    socket.write(Buffer.concat([ACCEPTED, Buffer.from([0x31, topic.length + 4]), topic, Buffer.from('21.5')]))
  })
}

function serveSsh(socket: Socket): void {
  const [greeting, ...answers] = createSshDouble()
  quietly(socket).write(greeting as Buffer)
  socket.on('data', (request: Buffer) => {
    const answer = answers.shift()
    if (typeof answer === 'function') socket.write(answer(request))
  })
}

/** Of stratum 2, in the first second of 1900. */
function answerTime(request: Buffer): Buffer {
  const times = Buffer.from('0000000000000001'.repeat(2), 'hex')
  return Buffer.concat([Buffer.from('240206e80000000000000000c0000201', 'hex'), Buffer.alloc(8), request.subarray(40, 48), times])
}

/** An Access-Accept without attributes, of a server whose shared secret is empty. */
function answerRadius(request: Buffer): Buffer {
  const head = Buffer.from([2, request[1] as number, 0, 20])
  return Buffer.concat([head, createHash('md5').update(head).update(request.subarray(4, 20)).digest()])
}

/** The time since the start, 1 s, with the id of the request, which is behind an empty community. */
function answerSnmp(request: Buffer): Buffer {
  const at = request.indexOf(0xa0) + 2
  const id = request.subarray(at, at + 2 + (request[at + 1] as number))
  const rest = Buffer.from('020100020100300f300d06082b06010201010300430164', 'hex')
  const pdu = Buffer.concat([Buffer.from([0xa2, id.length + rest.length]), id, rest])
  const inner = Buffer.concat([Buffer.from('0201010400', 'hex'), pdu])
  return Buffer.concat([Buffer.from([0x30, inner.length]), inner])
}

function answerSip(request: Buffer): Buffer {
  const repeated = request.toString('latin1').match(/^(?:Via|From|To|Call-ID|CSeq): .*\r\n/gm) ?? []
  return Buffer.from(`SIP/2.0 200 OK\r\n${repeated.join('')}Content-Length: 0\r\n\r\n`)
}

/** Answers what arrives first. */
const answering =
  (answerOf: (request: Buffer) => string | Buffer) =>
  (socket: Socket): void =>
    void quietly(socket).once('data', (request: Buffer) => socket.write(answerOf(request)))

const STATUS_PAGE = '{"page":{},"status":{"indicator":"none"},"components":[{"name":"API","status":"operational"}]}'
const answerPage = (request: Buffer): string =>
  /^if-none-match:/im.test(request.toString('latin1'))
    ? 'HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n'
    : `HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: ${STATUS_PAGE.length}\r\nConnection: close\r\n\r\n${STATUS_PAGE}`

export const OTHER_SERVERS = {
  connections: {
    ftp: serveFtp,
    ldap: answering(() => Buffer.from('300c02010261070a010004000400', 'hex')),
    mongodb: serveMongo,
    mqtt: serveMqtt,
    rtsp: answering(() => 'RTSP/1.0 200 OK\r\nCSeq: 1\r\nPublic: OPTIONS, DESCRIBE\r\n\r\n'),
    ssh: serveSsh,
    upstream: answering(answerPage),
  },
  datagrams: { ntp: answerTime, radius: answerRadius, sip: answerSip, snmp: answerSnmp, udp: (request: Buffer) => request },
}
