import { Link } from '@tanstack/react-router'
import { buttonClass } from '../components/button.tsx'
import { EmptyState, Page } from '../components/page.tsx'
import { messages } from '../messages/index.ts'

export function NotFoundPage() {
  return (
    <Page title={messages.errors.pageNotFound}>
      <EmptyState title={messages.errors.pageNotFoundAdvice}>
        <Link to="/" className={buttonClass('primary')}>
          {messages.overview.title}
        </Link>
      </EmptyState>
    </Page>
  )
}
