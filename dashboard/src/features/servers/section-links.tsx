import { Link } from '@tanstack/react-router'
import { tabClass, TABS_CLASS } from '../../components/tab-class.ts'
import { entities } from '../../messages/entities.ts'
import { messages } from '../../messages/index.ts'

/** The lists of servers: the servers themselves, and the containers of all of them. */
export function SectionLinks({ current }: { current: 'servers' | 'containers' }) {
  return (
    <nav aria-label={messages.servers.title} className={TABS_CLASS}>
      <Link to="/servers" aria-current={current === 'servers' ? 'page' : undefined} className={tabClass(current === 'servers')}>
        {messages.servers.title}
      </Link>
      <Link
        to="/servers/containers"
        aria-current={current === 'containers' ? 'page' : undefined}
        className={tabClass(current === 'containers')}
      >
        {entities.all.title}
      </Link>
    </nav>
  )
}
