import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { client } from './api/queries'
import { router } from './app/router'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/pages.css'
import './style/session.css'

// A page that was open while the server was replaced asks for parts that have changed.
window.addEventListener('vite:preloadError', () => location.reload())

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={client}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
