import starlight from '@astrojs/starlight';
import shared from './shared';
export default defineConfig({ ...shared, integrations: [starlight({ title: 'x' })] });
