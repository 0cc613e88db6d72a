export default {title: 'x'}
