module.exports = {baseUrl: '/', presets: [['classic', {docs: {exclude: ['**/_*.{js,jsx,ts,tsx,md,mdx}', '**/_*/**', 'old/**']}}]]};
